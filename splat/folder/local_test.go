package folder_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"portico/splat/folder"
)

func TestReaders_open_by_name(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	if err := os.MkdirAll(filepath.Join(at, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at, "data", "0.sog"), []byte("tile"), 0o600); err != nil {
		t.Fatal(err)
	}
	local := openLocal(t, at)
	readers := map[string]folder.Reader{"local": local, "memory": folder.Memory{"data/0.sog": []byte("tile")}}
	for name, files := range readers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := files.Open(t.Context(), "data/0.sog")
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
			if err != nil || string(content) != "tile" {
				t.Errorf("content: got %q, %v, want %q", content, err, "tile")
			}
			if err := f.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			for _, absent := range []string{"none", "data", "data/0.sog/none", "a\x00b", strings.Repeat("x", 300), strings.Repeat("x/", 3000), "", "../none", "/none", "data/../../none"} {
				if _, err := files.Open(t.Context(), absent); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("open %.20q, which is not there: got %v, want fs.ErrNotExist", absent, err)
				}
			}
		})
	}
}

func TestLocal_reads_nothing_outside(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	inside := filepath.Join(at, "capture")
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at, "secret"), []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(at, "secret"), filepath.Join(inside, "link")); err != nil {
		t.Fatal(err)
	}
	local := openLocal(t, inside)
	for _, name := range []string{"../secret", "link", filepath.Join(at, "secret"), "."} {
		if f, err := local.Open(t.Context(), name); err == nil {
			t.Errorf("open %q: got a file of %d bytes, want an error", name, f.Size())
		}
	}
}

func TestLocal_does_not_wait_for_pipes(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(at, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	local := openLocal(t, at)
	if _, err := local.Open(t.Context(), "pipe"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open a pipe: got %v, want fs.ErrNotExist", err)
	}
}
