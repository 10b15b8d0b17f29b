package ply_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/ply"
)

// sometimes is a file that fails after some reads.
type sometimes struct {
	folder.File
	err  error
	left int
}

// ReadAt implements io.ReaderAt.
func (s *sometimes) ReadAt(p []byte, off int64) (int, error) {
	if s.left == 0 {
		return 0, s.err
	}
	s.left--
	return s.File.ReadAt(p, off)
}

func TestFile_reports_a_failing_medium_as_ours(t *testing.T) {
	t.Parallel()
	for _, b := range [][]byte{
		encode(ply.LittleEndian, gaussians(randomCloud(3, 0), typedProperties("float", names(0))...)),
		encode(ply.LittleEndian, packedElements(3, true, 0)...),
		encode(ply.LittleEndian, packedElements(3, true, 1)...),
	} {
		for _, broken := range []error{errors.New("connection reset"), io.EOF, nil} {
			reads := failures(t, b, broken)
			if reads < 2 { // of the header and of the rest
				t.Errorf("%v: got %d reads that failed, want at least two", broken, reads)
			}
		}
	}
}

// failures lets every read of a file fail in turn and returns how many there are.
func failures(t *testing.T, b []byte, broken error) int {
	t.Helper()
	for reads := 0; ; reads++ {
		f, err := ply.Open(t.Context(), &sometimes{memory(t, b), broken, reads}, "scene.ply")
		if err == nil {
			s, _ := f.Source()
			err = errors.Join(s.Read(t.Context(), 0, all(3), &gaussian.Cloud{}), s.Positions(t.Context(), 0, make([]float32, 9), nil))
		}
		if err == nil {
			return reads
		}
		if _, ok := errors.AsType[*input.Error](err); ok {
			t.Errorf("%v at read %d: got %v, want an error that does not blame the file", broken, reads+1, err)
		}
	}
}

func TestFile_ends_with_its_context(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	binary := encode(ply.LittleEndian, gaussians(randomCloud(3, 0), typedProperties("float", names(0))...))
	text := encode(ply.Text, gaussians(randomCloud(3, 0), typedProperties("float", names(0))...))
	for name, b := range map[string][]byte{
		"binary": binary, "text": text,
		"packed": encode(ply.LittleEndian, packedElements(3, true, 0)...), "packed with harmonics": encode(ply.LittleEndian, packedElements(3, true, 1)...),
	} {
		s := source(t, b)
		for _, err := range []error{
			s.Positions(canceled, 0, make([]float32, 9), nil),
			s.Read(canceled, 0, all(3), &gaussian.Cloud{}),
		} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: got %v, want %v", name, err, context.Canceled)
			}
		}
	}
	for name, err := range map[string]error{
		"bounds of Gaussians": second(open(t, binary).Bounds(canceled)),
		"bounds of a mesh":    second(open(t, encode(ply.LittleEndian, cube("int")...)).Bounds(canceled)),
		"opening text":        second(ply.Open(canceled, memory(t, text), "scene.ply")),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want %v", name, err, context.Canceled)
		}
	}
}

func second[T any](_ T, err error) error { return err }
