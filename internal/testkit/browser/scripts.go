package browser

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"portico/internal/testkit/npm"
)

const (
	minNodeVersion = 20
	// scriptTimeout limits a script, which takes seconds or a few minutes on an idle machine. It is
	// shorter than the timeout of make test (20 minutes), which would kill the test and leave its
	// browsers.
	scriptTimeout = 15 * time.Minute
	// exitTimeout limits how long a script may take to close its browser after scriptTimeout.
	exitTimeout = 5 * time.Second
)

// Options describe a folder of scripts.
type Options struct {
	// Name names the folder of the installed packages in the user's cache.
	Name string
	// Scripts is the folder that New copies for the test.
	Scripts string
	// Packages is the folder of package.json, its lock file and .npmrc. Empty means Scripts.
	Packages string
}

// Scripts is a copy of a folder of scripts, with their packages.
type Scripts struct {
	// Folder is removed when the test ends.
	Folder string
	// Chromium is the path of the browser, or "" for NewWithout.
	Chromium string
	node     string
}

// New returns scripts that open pages in Chromium.
func New(t testing.TB, options Options) *Scripts {
	t.Helper()
	chromium := Chromium(t)
	s := NewWithout(t, options)
	s.Chromium = chromium
	return s
}

// NewWithout returns scripts that need no browser. The scripts are copied because the folder of the
// packages must be beside them, and tests must not change the source tree.
func NewWithout(t testing.TB, options Options) *Scripts {
	t.Helper()
	if testing.Short() {
		t.Skip("scripts take too long for a short run")
	}
	node, err := npm.Node(t.Context(), minNodeVersion)
	if err != nil {
		t.Skipf("scripts are not run: %v", err)
	}
	packages, err := npm.Install(t.Context(), options.Name, os.DirFS(cmp.Or(options.Packages, options.Scripts)))
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("the packages cannot be installed: %v", err)
	}
	check(t, err)
	s := &Scripts{Folder: filepath.Join(t.TempDir(), filepath.Base(options.Scripts)), node: node}
	check(t, os.CopyFS(s.Folder, os.DirFS(options.Scripts)))
	modules := filepath.Join(s.Folder, "node_modules")
	check(t, os.RemoveAll(modules)) // which a developer may have installed
	check(t, os.Symlink(filepath.Join(packages, "node_modules"), modules))
	return s
}

// installedPaths returns where distributions install Chromium. The headless shell is first: it is
// Chromium without windows, draws the same pages, and takes 40 % less CPU.
func installedPaths() []string {
	return []string{"/usr/bin/chromium-headless-shell", "/usr/bin/chromium"}
}

// Chromium returns the path of the browser: $CHROMIUM, or the installed one. It skips the test if
// no browser can or should be started.
func Chromium(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes too long for a short run")
	}
	paths := installedPaths()
	if chosen := os.Getenv("CHROMIUM"); chosen != "" {
		paths = []string{chosen}
	}
	for _, path := range paths {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	t.Skipf("Chromium is not installed at %q", paths)
	return ""
}

// Command is a script to run with Node.
type Command struct {
	Script string
	Args   []string
	Env    []string // added to the environment of the test
	Input  []byte   // standard input
}

// Output is what a script wrote before it ended.
type Output struct{ Stdout, Stderr []byte }

// Text returns all output, the standard output first.
func (o Output) Text() string { return string(o.Stdout) + string(o.Stderr) }

// Run runs a script to its end. It returns an error if the exit code is not 0. The variable
// CHROMIUM has the path of the browser.
func (s *Scripts) Run(ctx context.Context, command Command) (Output, error) {
	ctx, cancel := context.WithTimeout(ctx, scriptTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.node, append([]string{command.Script}, command.Args...)...)
	cmd.Dir, cmd.Env = s.Folder, append(os.Environ(), command.Env...)
	if s.Chromium != "" {
		cmd.Env = append(cmd.Env, "CHROMIUM="+s.Chromium)
	}
	cmd.Stdin = bytes.NewReader(command.Input)
	// An interrupt lets the script close the browser; a kill would leave it running.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = exitTimeout
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	return Output{Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}, err
}

// Lines decodes the standard output of a script that prints JSON values.
func Lines[T any](t testing.TB, out Output) (values []T) {
	t.Helper()
	for decoder := json.NewDecoder(bytes.NewReader(out.Stdout)); decoder.More(); {
		var value T
		check(t, decoder.Decode(&value))
		values = append(values, value)
	}
	return values
}

// check fails the test at once if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
