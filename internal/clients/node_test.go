package clients

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const (
	// scriptsDir holds the scripts and the list of their packages.
	scriptsDir = "node"
	// oldestNode is the least major version of Node that the packages run on.
	oldestNode = 20
	// installTime and scriptTime bound npm and a script; each takes seconds.
	installTime = 3 * time.Minute
	scriptTime  = 2 * time.Minute
)

// scripts is a folder in which the scripts can be run.
type scripts struct{ dir string }

// newScripts copies the scripts to a folder that has the packages: Node looks for
// them beside the script only. Without Node the test is skipped.
func newScripts(t *testing.T) scripts {
	t.Helper()
	requireNode(t)
	packages, err := install(t.Context())
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("install the packages: %v", err)
		}
		t.Skipf("the packages cannot be installed: %v", err)
	}
	dir := filepath.Join(t.TempDir(), scriptsDir)
	check(t, os.CopyFS(dir, os.DirFS(scriptsDir)))
	// Someone who works on a script may have installed the packages beside it.
	check(t, os.RemoveAll(filepath.Join(dir, "node_modules")))
	check(t, os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")))
	return scripts{dir}
}

// requireNode skips the test where there is no Node, or one that is too old.
func requireNode(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "node", "--version").Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("node is not installed: the JavaScript clients are not tried")
	}
	var major int
	if _, scanned := fmt.Sscanf(string(out), "v%d.", &major); err != nil || scanned != nil {
		t.Fatalf("node --version: got %q and %v, want a version", out, errors.Join(err, scanned))
	}
	if major < oldestNode {
		t.Skipf("node is of version %d, older than %d: the JavaScript clients are not tried", major, oldestNode)
	}
}

// install returns a folder with the packages of the lock file, and fills it when
// this is the first run with that file.
func install(ctx context.Context) (string, error) {
	lock, err := os.ReadFile(filepath.Join(scriptsDir, "package-lock.json"))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir() // a user without a home
	}
	sum := sha256.Sum256(lock)
	dir := filepath.Join(cache, "portico-clients-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	// It appears as a whole: another run may look for it, and this one may be cut
	// off. Of two that fill it at once the second is late, which does not matter.
	unfinished, err := os.MkdirTemp(cache, "portico-clients-unfinished-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(unfinished)
	if err := fill(ctx, unfinished); err != nil {
		return "", err
	}
	if err := os.Rename(unfinished, dir); err != nil {
		if _, missing := os.Stat(dir); missing != nil {
			return "", err
		}
	}
	return dir, nil
}

// fill installs the packages. None of their scripts is run.
func fill(ctx context.Context, dir string) error {
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		content, err := os.ReadFile(filepath.Join(scriptsDir, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	cmd.WaitDelay = time.Second // npm's children may hold its output
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return nil
}

// outcome is what a script says of a scenario.
type outcome struct {
	Name         string
	Error        string // empty when it went well
	Milliseconds int
}

// run runs a script to its end and returns the outcomes in the order of their
// ends. A script itself fails only when it is broken.
func (s scripts) run(t *testing.T, script string, env []string) []outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), scriptTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", script)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), env...)
	// A browser goes with its script only when that can end it.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Errorf("node %s: got %v, want it to end with code 0\n%s", script, err, stderr.String())
	}
	var outcomes []outcome
	for decoder := json.NewDecoder(&stdout); decoder.More(); {
		var o outcome
		check(t, decoder.Decode(&o))
		outcomes = append(outcomes, o)
	}
	return outcomes
}
