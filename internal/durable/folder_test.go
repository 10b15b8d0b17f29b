package durable

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

func TestSyncFolder_reports_a_missing_folder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := SyncFolder(folder); err != nil {
		t.Errorf("a folder: got %v, want nil", err)
	}
	if err := SyncFolder(filepath.Join(folder, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: got %v, want %v", err, fs.ErrNotExist)
	}
}
