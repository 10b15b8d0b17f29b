package dist_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A check that passes without comparing anything would hide an old build.
func TestBuild_fails_without_npm(t *testing.T) {
	t.Parallel()
	dirname, err := exec.LookPath("dirname")
	if err != nil {
		t.Fatal(err)
	}
	commands := t.TempDir()
	if err := os.Symlink(dirname, filepath.Join(commands, "dirname")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "../build.sh", "space", "-check")
	cmd.Env = []string{"PATH=" + commands}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "npm, which is not installed") {
		t.Errorf("got %v, %q, want a failure that names npm", err, out)
	}
}
