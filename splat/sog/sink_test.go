package sog_test

import (
	"os"
	"path/filepath"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/sog"
)

func TestDirectory_takes_a_capture(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	sink, err := sog.OpenDirectory(at)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	if _, err := sog.WriteStreamed(t.Context(), gaussian.NewMemory(capture(5, 0, 2), capture(10, 0, 1)), sink, sog.Options{}); err != nil {
		t.Fatal(err)
	}
	folder, err := input.OpenDirectory(at)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	reader := open(t, folder, "lod-meta.json")
	compare(t, capture(10, 0, 1), all(t, reader, 0))
}

func TestDirectory_confines(t *testing.T) {
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
	sink, err := sog.OpenDirectory(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	for _, name := range []string{"../out", "link/out", "there", "there/below", filepath.Join(at, "out")} {
		if f, err := sink.Create(name); err == nil {
			t.Errorf("create %s: got no error", name)
			f.Close()
		}
	}
	if _, err := os.Stat(filepath.Join(at, "out")); err == nil {
		t.Error("a file was created outside of the directory")
	}
	if _, err := sog.OpenDirectory(filepath.Join(at, "none")); err == nil {
		t.Error("open a directory that is not there: got no error")
	}
}
