package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExport_replaces_no_file(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "ada.zip")
	check(t, os.WriteFile(out, []byte("old"), 0o600))
	_, errs, code := runCommand(t, dir, nil, "export", "--user", "ada@example.com", out)
	if code == 0 || !strings.Contains(errs, out+" exists; name a new file") {
		t.Errorf("export: got %q, %d, want that the file exists", errs, code)
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != "old" {
		t.Errorf("file: got %q, %v, want it unchanged", got, err)
	}
}
