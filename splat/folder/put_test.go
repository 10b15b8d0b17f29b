package folder_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"portico/splat/folder"
)

func TestWriters_store_files_that_readers_open(t *testing.T) {
	t.Parallel()
	local := openLocal(t, t.TempDir())
	large := strings.Repeat("0123456789", 100_000)
	for name, files := range map[string]interface {
		folder.Reader
		folder.Writer
	}{"local": local, "memory": folder.Memory{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for file, content := range map[string]string{"empty": "", "meta.json": "{}", "data/3dgs/0.sog": large} {
				if err := files.Put(t.Context(), file, int64(len(content)), strings.NewReader(content)); err != nil {
					t.Fatalf("put %s: %v", file, err)
				}
				f, err := files.Open(t.Context(), file)
				if err != nil {
					t.Fatalf("open %s: %v", file, err)
				}
				defer f.Close()
				got, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
				if err != nil || string(got) != content {
					t.Errorf("%s: got %d bytes, %v, want %d", file, len(got), err, len(content))
				}
			}
			if err := files.Put(t.Context(), "meta.json", 1, strings.NewReader("x")); !errors.Is(err, os.ErrExist) {
				t.Errorf("put a second meta.json: got %v, want os.ErrExist", err)
			}
		})
	}
}

func TestWriters_remove_a_file_that_fails(t *testing.T) {
	t.Parallel()
	lost := errors.New("connection reset")
	for name, files := range map[string]interface {
		folder.Reader
		folder.Writer
	}{"local": openLocal(t, t.TempDir()), "memory": folder.Memory{}} {
		broken := io.MultiReader(strings.NewReader("half of it"), iotest.ErrReader(lost))
		if err := files.Put(t.Context(), "data.bin", 20, broken); !errors.Is(err, lost) {
			t.Errorf("%s: got %v, want %v", name, err, lost)
		}
		if f, err := files.Open(t.Context(), "data.bin"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: open a file that failed: got %v, %v, want os.ErrNotExist", name, f, err)
		}
	}
}

func TestLocal_writes_nothing_outside(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	inside := filepath.Join(at, "capture")
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inside, "there"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at, filepath.Join(inside, "link")); err != nil {
		t.Fatal(err)
	}
	files := openLocal(t, inside)
	for _, name := range []string{"../out", "link/out", "there", "there/below", filepath.Join(at, "out")} {
		if err := files.Put(t.Context(), name, 1, strings.NewReader("x")); err == nil {
			t.Errorf("put %s: got no error", name)
		}
	}
	if _, err := os.Stat(filepath.Join(at, "out")); err == nil {
		t.Error("a file was created outside of the folder")
	}
	if _, err := folder.OpenLocal(filepath.Join(at, "none")); err == nil {
		t.Error("open a folder that does not exist: got no error")
	}
}

// openLocal opens a folder until the end of the test.
func openLocal(t *testing.T, at string) *folder.Local {
	t.Helper()
	local, err := folder.OpenLocal(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := local.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return local
}
