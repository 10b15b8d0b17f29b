package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"portico/splat/archive"
	"portico/splat/folder"
	"portico/splat/input"
	"portico/splat/splattest"
)

// sampleZip is a small archive with everything that the reader knows.
func sampleZip() []byte {
	return withEnd64(splattest.Zip(
		splattest.Entry{Name: "s.lcc2", Body: []byte(`{"root":{"splatFiles":["data/a.sog","data/b.sog"]}}`), Method: splattest.Deflate},
		splattest.Entry{Name: "data/"},
		splattest.Entry{Name: "data/a.sog", Body: []byte(tile), Mode: 0o100644},
		splattest.Entry{Name: "data/b.sog", Body: bytes.Repeat([]byte(tile), 50), Method: splattest.Deflate, Zip64: true},
	))
}

// extractFrom does with a reader what the worker does, into a folder.
func extractFrom(t *testing.T, r io.ReaderAt, size int64, to folder.Writer) error {
	t.Helper()
	a, err := archive.Open(r, size, archive.DefaultLimits())
	if err != nil {
		return err
	}
	plan, err := a.Plan(t.Context())
	if err != nil {
		return err
	}
	if plan.Kind == archive.KindWhole {
		return a.Verify(t.Context(), nil)
	}
	return a.Extract(t.Context(), plan, to, nil)
}

func TestRead_reports_every_truncation(t *testing.T) {
	t.Parallel()
	whole := sampleZip()
	for n := range whole {
		err := extractFrom(t, bytes.NewReader(whole[:n]), int64(n), &memory{})
		if _, ok := errors.AsType[*input.Error](err); !ok {
			t.Errorf("first %d of %d bytes: got %v, want an InputError", n, len(whole), err)
		}
	}
}

// A flipped byte is either reported or harmless, as in a date; it never
// changes what is extracted.
func TestRead_reports_every_flipped_byte_that_does_harm(t *testing.T) {
	t.Parallel()
	whole := sampleZip()
	want := &memory{}
	if err := extractFrom(t, bytes.NewReader(whole), int64(len(whole)), want); err != nil {
		t.Fatalf("extract: %v", err)
	}
	for i := range whole {
		b := bytes.Clone(whole)
		b[i] ^= 0xff
		got := &memory{}
		err := extractFrom(t, bytes.NewReader(b), int64(len(b)), got)
		if _, ok := errors.AsType[*input.Error](err); err != nil && !ok {
			t.Errorf("byte %d: got %v, want an InputError or none", i, err)
		}
		for name, body := range got.files {
			if body != want.files[name] {
				t.Errorf("byte %d: got other bytes in %s, want them refused", i, name)
			}
		}
	}
}

// flaky fails at the read with a given number, before or after giving bytes.
type flaky struct {
	io.ReaderAt
	failAt, reads int
	short         bool
}

var errNetwork = errors.New("connection reset")

// ReadAt implements io.ReaderAt.
func (f *flaky) ReadAt(p []byte, off int64) (int, error) {
	f.reads++
	if f.reads != f.failAt {
		return f.ReaderAt.ReadAt(p, off)
	}
	if f.short {
		n, _ := f.ReaderAt.ReadAt(p[:len(p)/2], off)
		return n, io.ErrUnexpectedEOF
	}
	return 0, errNetwork
}

// Storage that fails is not the user's fault, wherever it fails.
func TestRead_error_is_not_reported_as_damage(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if _, err := (splattest.Capture{Tiles: 3, TileBytes: 1 << 20}).WriteTo(&b); err != nil {
		t.Fatalf("WriteTo: %v", err)
	}
	all := &flaky{ReaderAt: bytes.NewReader(b.Bytes())}
	if err := extractFrom(t, all, int64(b.Len()), &memory{}); err != nil || all.reads < 4 {
		t.Fatalf("extract: got %v after %d reads, want nil after some", err, all.reads)
	}
	for failAt := 1; failAt <= all.reads; failAt++ {
		for _, short := range []bool{false, true} {
			t.Run(fmt.Sprintf("read %d, short %v", failAt, short), func(t *testing.T) {
				t.Parallel()
				r := &flaky{ReaderAt: bytes.NewReader(b.Bytes()), failAt: failAt, short: short}
				err := extractFrom(t, r, int64(b.Len()), &memory{})
				if _, ok := errors.AsType[*input.Error](err); ok || err == nil {
					t.Errorf("got %v, want an error of ours", err)
				}
				if !short && !errors.Is(err, errNetwork) {
					t.Errorf("got %v, want it to wrap %v", err, errNetwork)
				}
			})
		}
	}
}
