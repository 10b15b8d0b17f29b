package storagetest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"portico/model"
	"portico/storage"
)

// An object arrives in pieces of any size, some of which break off. Nobody sees it before it
// is assembled.
func testAppend(t *testing.T, s storage.Store) {
	const key = "1/api_uploads/a b.ply"
	bytesOf := Pattern(2*model.UploadPartUnit + 12_345)
	broken := errors.New("the line broke")
	at := int64(0)
	for _, piece := range []struct {
		bytes  int
		breaks error
	}{{10, nil}, {1000, broken}, {0, nil}, {model.UploadPartUnit, nil}, {model.UploadPartUnit - 1010, broken}, {12_345, nil}} {
		r := io.Reader(bytes.NewReader(bytesOf[at:][:piece.bytes]))
		if piece.breaks != nil {
			r = io.MultiReader(r, iotest.ErrReader(piece.breaks))
		}
		n, err := s.Append(t.Context(), key, at, r)
		if n != int64(piece.bytes) || !errors.Is(err, piece.breaks) {
			t.Fatalf("Append of %d bytes at %d: got %d, %v, want error %v", piece.bytes, at, n, err, piece.breaks)
		}
		at += n
		if got, err := s.Appended(t.Context(), key); got != at || err != nil {
			t.Fatalf("Appended: got %d, %v, want %d", got, err, at)
		}
	}
	if n, err := s.Append(t.Context(), key, at-1, strings.NewReader("x")); n != 0 || !errors.Is(err, storage.ErrOffset) {
		t.Errorf("Append at another offset: got %d, %v, want ErrOffset", n, err)
	}
	if _, err := s.Stat(t.Context(), key); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Stat before Assemble: got %v, want ErrNotFound", err)
	}
	if got := Keys(t, s, ""); len(got) != 0 {
		t.Errorf("List before Assemble: got %q, want nothing", got)
	}
	if err := s.Assemble(t.Context(), key, at+1); !errors.Is(err, storage.ErrIncomplete) {
		t.Errorf("Assemble of too many bytes: got %v, want ErrIncomplete", err)
	}
	for range 2 { // repeating it succeeds
		if err := s.Assemble(t.Context(), key, at); err != nil {
			t.Fatalf("Assemble: %v", err)
		}
	}
	if Content(t, s, key) != string(bytesOf) {
		t.Error("content: got other bytes than were appended")
	}
	if got := Keys(t, s, ""); len(got) != 1 {
		t.Errorf("List: got %q, want the object alone", got)
	}
	if err := s.Assemble(t.Context(), key, at-1); !errors.Is(err, storage.ErrIncomplete) {
		t.Errorf("Assemble of another size: got %v, want ErrIncomplete", err)
	}
}

// Delete removes what has arrived.
func testAppendDeleted(t *testing.T, s storage.Store) {
	const key = "1/api_uploads/a.ply"
	for _, size := range []int{5, model.UploadPartUnit + 5} {
		if _, err := s.Append(t.Context(), key, 0, bytes.NewReader(Pattern(size))); err != nil {
			t.Fatalf("Append: %v", err)
		}
		if err := s.Delete(t.Context(), key); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		if got, err := s.Appended(t.Context(), key); got != 0 || err != nil {
			t.Errorf("Appended after Delete: got %d, %v, want 0", got, err)
		}
		if err := s.Assemble(t.Context(), key, int64(size)); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("Assemble after Delete: got %v, want ErrNotFound", err)
		}
	}
}
