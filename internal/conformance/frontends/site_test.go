package frontends_test

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
	// scriptsDir holds the applications, the scripts and their package.json.
	scriptsDir     = "node"
	schemaFile     = "../../../schema.graphqls"
	minNodeVersion = 20
	// scriptTimeout is the maximum time of a script. Each takes half a minute on an idle
	// machine.
	scriptTimeout = 8 * time.Minute
)

// site holds the built applications and the browser that displays them.
type site struct {
	node, chromium string
	dir            string // of the applications and the scripts
}

// newSite builds the applications. It skips the test if the browser or a package is missing.
func newSite(t *testing.T) site {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	s := site{dir: filepath.Join(t.TempDir(), scriptsDir)}
	var err error
	if s.chromium, err = exec.LookPath(cmp.Or(os.Getenv("CHROMIUM"), "/usr/bin/chromium")); err != nil {
		t.Skipf("Chromium is not installed: the applications are not tried: %v", err)
	}
	if s.node, err = npm.Node(t.Context(), minNodeVersion); err != nil {
		t.Skipf("the applications are not tried: %v", err)
	}
	packages, err := npm.Install(t.Context(), "frontends", os.DirFS(scriptsDir))
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("the packages cannot be installed: %v", err)
	}
	check(t, err)
	check(t, os.CopyFS(s.dir, os.DirFS(scriptsDir)))
	// The folder may have node_modules of a developer.
	check(t, os.RemoveAll(filepath.Join(s.dir, "node_modules")))
	check(t, os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(s.dir, "node_modules")))
	schema, err := os.ReadFile(schemaFile)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(s.dir, filepath.Base(schemaFile)), schema, 0o600))
	s.run(t, nil, append([]string{"build.mjs"}, applications...)...)
	return s
}

// run runs a script to its end and returns its standard output.
func (s site) run(t *testing.T, env []string, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), scriptTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.node, args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), env...)
	// An interrupt lets the script close the browser; a kill would leave it running.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("node %q: got %v, want it to end with code 0\n%s%s", args, err, stdout.String(), stderr.String())
	}
	return stdout.Bytes()
}

// outcome is the result of a step.
type outcome struct {
	Name         string
	Error        string // empty when it went well
	Milliseconds int
}

// walk walks an application through the scenario, up to the first step that fails.
func (s site) walk(t *testing.T, application string, env ...string) (outcomes []outcome) {
	t.Helper()
	out := s.run(t, append(env, "CHROMIUM="+s.chromium), "walk.mjs", application)
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var o outcome
		check(t, decoder.Decode(&o))
		outcomes = append(outcomes, o)
	}
	return outcomes
}
