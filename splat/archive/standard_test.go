package archive_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"testing"

	"portico/splat/archive"
	"portico/splat/input"
	"portico/splat/splattest"
)

type countedReader struct {
	io.ReaderAt
	read int
}

// ReadAt implements io.ReaderAt.
func (c *countedReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.read += n
	return n, err
}

// openStandard opens a zip that is in memory, and returns how many bytes were read.
func openStandard(b []byte, limits archive.Limits) (*zip.Reader, int, error) {
	r := &countedReader{ReaderAt: bytes.NewReader(b)}
	opened, err := archive.OpenStandard(r, int64(len(b)), limits)
	return opened, r.read, err
}

func TestOpenStandard_reads_entries(t *testing.T) {
	t.Parallel()
	large := bytes.Repeat([]byte("0123456789"), 200_000)
	plain := splattest.Zip(splattest.Entry{Name: "a", Body: large})
	for name, b := range map[string][]byte{
		"plain": plain, "with a comment": withComment(bytes.Clone(plain), "text"), "zip64": withEnd64(bytes.Clone(plain)),
	} {
		opened, _, err := openStandard(b, archive.Limits{Entries: 1, DirectoryBytes: 47})
		if err != nil {
			t.Errorf("%s: got %v, want it open", name, err)
			continue
		}
		file, err := opened.Open("a")
		if err != nil {
			t.Fatal(err)
		}
		if content, err := io.ReadAll(file); err != nil || !bytes.Equal(content, large) {
			t.Errorf("%s: got %d bytes and %v, want the %d bytes of the entry", name, len(content), err, len(large))
		}
	}
}

func TestOpenStandard_reads_no_directory_over_the_limits(t *testing.T) {
	t.Parallel()
	const entries, headers = 100_000, 100_000 * 46
	b := splattest.Zip(make([]splattest.Entry, entries)...)
	for _, test := range []struct {
		limits archive.Limits
		want   string
	}{
		{
			archive.Limits{Entries: 5000, DirectoryBytes: headers},
			"The archive has too many files: 100,000 entries, at most 5,000. Export the capture in parts and upload each of them.",
		},
		{archive.Limits{Entries: entries, DirectoryBytes: 1 << 20}, "The archive's directory is too large: 4,600,000 bytes, at most 1,048,576"},
	} {
		_, read, err := openStandard(withEnd64Of(b, entries, headers), test.limits)
		fault, isFault := errors.AsType[*input.Error](err)
		if !isFault || fault.Error() != test.want {
			t.Errorf("got %v, want %q", err, test.want)
		}
		if read > headers/2 {
			t.Errorf("%v: got %d bytes read, want only the end of the file", test.limits, read)
		}
	}
}

// withEnd64Of replaces the end record by a zip64 one with these numbers.
func withEnd64Of(b []byte, entries, directorySize int) []byte {
	at := len(b) - 22
	b = append(bytes.Clone(b[:at]), splattest.End64(uint64(entries), uint64(directorySize), uint64(at-directorySize), uint64(at))...)
	return append(b, splattest.End(1<<16-1, 1<<32-1, 1<<32-1)...)
}

// The standard library believes neither the number of entries, of which it compares 16 bits, nor the
// size of the directory.
func TestOpenStandard_refuses_a_directory_that_is_longer_than_declared(t *testing.T) {
	t.Parallel()
	for _, entries := range []int{2, 5001, 1<<16 + 1, 100_000} {
		b := splattest.Zip(make([]splattest.Entry, entries)...)
		start := len(b) - 22 - entries*46
		b = append(b[:len(b)-22], splattest.End(1, 46, start)...)
		_, read, err := openStandard(b, archive.Limits{Entries: 5000, DirectoryBytes: 1 << 20})
		if _, isFault := errors.AsType[*input.Error](err); err == nil || isFault {
			t.Errorf("1 of %d entries declared: got %v, want that the file is not a zip", entries, err)
		}
		if read > 2<<20 {
			t.Errorf("1 of %d entries declared: got %d bytes read, want little more than the declared directory", entries, read)
		}
	}
}
