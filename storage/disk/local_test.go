package disk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/storage"
)

func TestLocalPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	disk := newTestServer(t, func(o *Options) { o.Folder = dir })
	if _, err := disk.Put(t.Context(), "1/scan/lod-meta.json", strings.NewReader("{}")); err != nil {
		t.Fatalf("put: %v", err)
	}
	t.Run("leads to the object", func(t *testing.T) {
		t.Parallel()
		at, err := disk.LocalPath(t.Context(), "1/scan/lod-meta.json")
		if err != nil || !filepath.IsAbs(at) {
			t.Fatalf("path: got %q, %v, want an absolute one", at, err)
		}
		if got, err := os.ReadFile(at); err != nil || string(got) != "{}" {
			t.Errorf("content: got %q, %v, want what was put", got, err)
		}
	})
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatalf("write: %v", err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "objects", "1", "link")); err != nil {
		t.Fatalf("link: %v", err)
	}
	for name, test := range map[string]struct {
		key  string
		want error
	}{
		"finds no object that is not there": {"1/none", storage.ErrNotFound},
		"finds no object in a folder":       {"1/scan", storage.ErrNotFound},
		"follows no link out of the folder": {"1/link", storage.ErrNotFound},
		"refuses an invalid key":            {"../secret", storage.ErrInvalidKey},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if at, err := disk.LocalPath(t.Context(), test.key); !errors.Is(err, test.want) {
				t.Errorf("path: got %q, %v, want %v", at, err, test.want)
			}
		})
	}
}
