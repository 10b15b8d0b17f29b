package archive

import (
	"bytes"
	"io"
	"testing"
)

// requests counts the reads of an archive in object storage.
type requests struct {
	io.ReaderAt
	n int
}

// ReadAt implements io.ReaderAt.
func (r *requests) ReadAt(p []byte, off int64) (int, error) {
	r.n++
	return r.ReaderAt.ReadAt(p, off)
}

func TestWindow_reads_in_large_blocks(t *testing.T) {
	t.Parallel()
	data := make([]byte, 3*windowSize+100)
	for i := range data {
		data[i] = byte(i % 251)
	}
	source := &requests{ReaderAt: bytes.NewReader(data)}
	w := newWindow(source, int64(len(data)))
	got, err := io.ReadAll(io.NewSectionReader(w, 0, int64(len(data))))
	if err != nil || !bytes.Equal(got, data) {
		t.Fatalf("got %d bytes, %v, want the data", len(got), err)
	}
	if want := 4; source.n != want {
		t.Errorf("requests: got %d, want %d", source.n, want)
	}
}

func TestWindow_reads_like_its_source(t *testing.T) {
	t.Parallel()
	w := newWindow(bytes.NewReader([]byte("0123456789")), 10)
	for _, test := range []struct {
		off  int64
		n    int
		want string
		err  error
	}{
		{0, 4, "0123", nil}, {8, 2, "89", nil}, {8, 4, "89", io.EOF}, {10, 1, "", io.EOF}, {11, 1, "", io.EOF}, {5, 0, "", nil}, {2, 3, "234", nil},
	} {
		p := make([]byte, test.n)
		n, err := w.ReadAt(p, test.off)
		if got := string(p[:n]); got != test.want || err != test.err {
			t.Errorf("ReadAt(%d, %d): got %q, %v, want %q, %v", test.off, test.n, got, err, test.want, test.err)
		}
	}
}
