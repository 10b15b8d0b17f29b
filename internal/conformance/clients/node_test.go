package clients

import (
	"bytes"
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
	// scriptsDir holds the scripts and the list of their packages.
	scriptsDir = "node"
	// minNodeVersion is the minimum major version of Node for the packages.
	minNodeVersion = 20
	// scriptTime limits a script. Each takes seconds on an idle machine.
	scriptTime = 6 * time.Minute
)

// scripts is a folder in which the scripts can be run.
type scripts struct{ dir string }

// newScripts copies the scripts to a folder that has the packages: Node looks for
// them beside the script only. Without Node the test is skipped.
func newScripts(t *testing.T) scripts {
	t.Helper()
	if _, err := npm.Node(t.Context(), minNodeVersion); err != nil {
		t.Skipf("the JavaScript clients are not tried: %v", err)
	}
	packages, err := npm.Install(t.Context(), "clients", os.DirFS(scriptsDir))
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

// outcome is the result of a scenario.
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
	// A browser ends with its script only if the script can end it.
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
