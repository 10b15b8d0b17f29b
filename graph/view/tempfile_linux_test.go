package view

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"portico/internal/freespace"
	"portico/internal/testkit/smalldisk"
)

func TestTempFile_stops_before_the_reserve(t *testing.T) {
	t.Parallel()
	dir := smalldisk.New(t, freespace.Reserve+freespace.Interval*5/2)
	file, err := NewTempFile(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	const part = freespace.Interval / 2
	for i := range 5 {
		size, err := file.Fill(strings.NewReader(strings.Repeat("x", part)))
		if i < 4 && (err != nil || size != part) {
			t.Errorf("part %d: got %d bytes and %v, want all", i, size, err)
		}
		if i == 4 && !errors.Is(err, errDiskFull) {
			t.Errorf("part %d: got %v, want %v", i, err, errDiskFull)
		}
	}
}

func TestTempFile_translates_a_full_disk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = full.Close() })
	if _, err := (TempFile{full}).Fill(strings.NewReader("x")); !errors.Is(err, errDiskFull) {
		t.Errorf("write: got %v, want %v", err, errDiskFull)
	}
}

func TestTempFile_returns_another_error_of_the_file(t *testing.T) {
	t.Parallel()
	file, err := NewTempFile(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = file.Fill(strings.NewReader("x"))
	if _, ok := errors.AsType[*fs.PathError](err); !ok {
		t.Errorf("fill a closed file: got %v, want an error of the file", err)
	}
}
