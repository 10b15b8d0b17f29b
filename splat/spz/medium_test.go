package spz_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/spz"
)

// failing is a file whose data cannot be read from some place on.
type failing struct {
	folder.File
	err  error
	from int64
}

// ReadAt implements io.ReaderAt.
func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		return 0, f.err
	}
	return f.File.ReadAt(p, off)
}

func TestFile_reports_a_failing_medium_as_ours(t *testing.T) {
	t.Parallel()
	for _, version := range []uint32{3, 4} {
		b := newDocument(version, randomCloud(20_000, 2)).bytes() // more than is read at a time
		for _, broken := range []error{errors.New("connection reset"), io.EOF, nil} {
			for _, from := range []int64{0, int64(len(b)) - 1} {
				f, err := spz.Open(t.Context(), failing{memory(t, b), broken, from}, "scene.spz")
				if err == nil {
					_, err = f.Bounds(t.Context())
				}
				if _, ok := errors.AsType[*input.Error](err); ok || err == nil {
					t.Errorf("version %d, %v at %d: got %v, want an error that does not blame the file", version, broken, from, err)
				}
			}
		}
	}
}

func TestFile_ends_with_its_context(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, version := range []uint32{3, 4} {
		f := open(t, newDocument(version, randomCloud(3, 0)).bytes())
		use := func() {
			t.Helper()
			_, boundsErr := f.Bounds(canceled)
			for _, err := range []error{
				boundsErr,
				f.Positions(canceled, 0, make([]float32, 9), nil),
				f.Read(canceled, 0, all(3), &gaussian.Cloud{}),
			} {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("version %d: got %v, want %v", version, err, context.Canceled)
				}
			}
		}
		use()
		if err := f.Read(t.Context(), 0, all(3), &gaussian.Cloud{}); err != nil {
			t.Errorf("version %d, read after that: got %v, want it to work", version, err)
		}
		use()
	}
}
