package folder_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"portico/splat/folder"
)

func TestReadFull(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		file   io.ReaderAt
		offset int64
		want   error
	}{
		"returns nil for a complete read":            {strings.NewReader("12345"), 1, nil},
		"returns nil for a read up to the end":       {strings.NewReader("12345"), 2, nil},
		"returns ErrUnexpectedEOF for an early end":  {strings.NewReader("12345"), 3, io.ErrUnexpectedEOF},
		"returns ErrUnexpectedEOF beyond the end":    {strings.NewReader("12345"), 9, io.ErrUnexpectedEOF},
		"returns ErrUnexpectedEOF without any error": {readerAt{n: 2}, 0, io.ErrUnexpectedEOF},
		"returns the error of the file":              {readerAt{n: 2, err: broken}, 0, broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := make([]byte, 3)
			if err := folder.ReadFull(test.file, p, test.offset); !errors.Is(err, test.want) || test.want == nil && err != nil {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

// readerAt is a file whose reads return the same result.
type readerAt struct {
	n   int
	err error
}

// ReadAt implements io.ReaderAt.
func (r readerAt) ReadAt([]byte, int64) (int, error) { return r.n, r.err }
