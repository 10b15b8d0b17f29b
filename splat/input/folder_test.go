package input_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"portico/splat/input"
)

func TestFolders_open_by_name(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	if err := os.MkdirAll(filepath.Join(at, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at, "data", "0.sog"), []byte("tile"), 0o600); err != nil {
		t.Fatal(err)
	}
	directory, err := input.OpenDirectory(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = directory.Close() }) // read only
	folders := map[string]input.Folder{"directory": directory, "memory": input.Memory{"data/0.sog": []byte("tile")}}
	for name, folder := range folders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := folder.Open(t.Context(), "data/0.sog")
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
				if _, err := folder.Open(t.Context(), absent); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("open %.20q, which is not there: got %v, want fs.ErrNotExist", absent, err)
				}
			}
		})
	}
}

func TestDirectory_confines(t *testing.T) {
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
	directory, err := input.OpenDirectory(inside)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = directory.Close() }) // read only
	for _, name := range []string{"../secret", "link", filepath.Join(at, "secret"), "."} {
		if f, err := directory.Open(t.Context(), name); err == nil {
			t.Errorf("open %q: got a file of %d bytes, want an error", name, f.Size())
		}
	}
}

func TestDirectory_does_not_wait_for_pipes(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(at, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	directory, err := input.OpenDirectory(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = directory.Close() }) // read only
	if _, err := directory.Open(t.Context(), "pipe"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open a pipe: got %v, want fs.ErrNotExist", err)
	}
}

func TestReadManifest(t *testing.T) {
	t.Parallel()
	folder := input.Memory{"meta.json": []byte("{}"), "large.json": make([]byte, 101)}
	if got, err := input.ReadManifest(t.Context(), folder, "meta.json", 100); err != nil || string(got) != "{}" {
		t.Errorf("meta.json: got %q, %v, want {}", got, err)
	}
	for name, want := range map[string]string{
		"none.json":  `Entry "none.json": is missing`,
		"large.json": `Entry "large.json": has 101 bytes; at most 100 can be read`,
	} {
		_, err := input.ReadManifest(t.Context(), folder, name, 100)
		if fault, ok := errors.AsType[*input.Error](err); !ok || fault.Error() != want {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}
