package storagetest

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"portico/model"
	"portico/storage"
)

// The parts of an object arrive at the same time, in pieces, some of which break off. Nobody sees
// the object before all are there.
func testParts(t *testing.T, s storage.Store) {
	const key = "1/api_uploads/a b.ply"
	bytesOf := Pattern(5*model.UploadPartUnit + 12_345)
	parts := model.SplitUpload(int64(len(bytesOf)), 3)
	if len(parts) != 3 {
		t.Fatalf("got %d parts, want 3", len(parts))
	}
	for range 2 { // repeating it succeeds
		if err := s.StartParts(t.Context(), key); err != nil {
			t.Fatalf("StartParts: %v", err)
		}
	}
	broken := errors.New("the line broke")
	send := make(chan error, len(parts))
	for _, part := range parts {
		go func() { send <- sendPart(t, s, key, part, bytesOf, broken) }()
	}
	for range parts {
		if err := <-send; err != nil {
			t.Fatal(err)
		}
	}
	checkUnassembled(t, s, key, parts)
	for _, part := range parts { // the last bytes, in the order of the parts
		at := part.Size - 5
		n, err := s.AppendPart(t.Context(), key, part, at, bytes.NewReader(bytesOf[part.Offset+at:]))
		if n != 5 || err != nil {
			t.Fatalf("AppendPart of the end and of bytes of other parts: got %d, %v, want 5", n, err)
		}
	}
	for range 2 { // repeating it succeeds
		if err := s.AssembleParts(t.Context(), key, parts); err != nil {
			t.Fatalf("AssembleParts: %v", err)
		}
	}
	if Content(t, s, key) != string(bytesOf) {
		t.Error("content: got other bytes than were appended")
	}
	if n, err := s.AppendPart(t.Context(), key, parts[0], 0, strings.NewReader("x")); n != 0 || !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("AppendPart after AssembleParts: got %d, %v, want ErrNotFound", n, err)
	}
	if got := Keys(t, s, ""); len(got) != 1 {
		t.Errorf("List: got %q, want the object alone", got)
	}
}

// sendPart sends all bytes of a part except the last five, in two pieces of which one breaks off.
func sendPart(t *testing.T, s storage.Store, key string, part model.UploadPart, bytesOf []byte, broken error) error {
	mine := bytesOf[part.Offset:][:part.Size-5]
	first := io.MultiReader(bytes.NewReader(mine[:1000]), iotest.ErrReader(broken))
	n, err := s.AppendPart(t.Context(), key, part, 0, first)
	if n != 1000 || !errors.Is(err, broken) {
		return errors.Join(errors.New("the first piece: other bytes or another error"), err)
	}
	if got, err := s.AppendedPart(t.Context(), key, part); got != 1000 || err != nil {
		return errors.Join(errors.New("AppendedPart: want 1000"), err)
	}
	if n, err := s.AppendPart(t.Context(), key, part, 999, strings.NewReader("x")); n != 0 || !errors.Is(err, storage.ErrOffset) {
		return errors.Join(errors.New("AppendPart at another offset: want ErrOffset"), err)
	}
	n, err = s.AppendPart(t.Context(), key, part, 1000, bytes.NewReader(mine[1000:]))
	if n != int64(len(mine)-1000) || err != nil {
		return errors.Join(errors.New("the second piece: other bytes"), err)
	}
	return nil
}

func checkUnassembled(t *testing.T, s storage.Store, key string, parts []model.UploadPart) {
	t.Helper()
	if err := s.AssembleParts(t.Context(), key, parts); !errors.Is(err, storage.ErrIncomplete) {
		t.Errorf("AssembleParts of unfinished parts: got %v, want ErrIncomplete", err)
	}
	if _, err := s.Stat(t.Context(), key); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Stat before AssembleParts: got %v, want ErrNotFound", err)
	}
	if got := Keys(t, s, ""); len(got) != 0 {
		t.Errorf("List before AssembleParts: got %q, want nothing", got)
	}
}

// A part that is sent as a whole replaces what the part had, also what an attempt that broke off has
// stored. Too few bytes are no part.
func testWholeParts(t *testing.T, s storage.Store) {
	const key = "1/api_uploads/whole.ply"
	bytesOf := Pattern(3*model.UploadPartUnit + 12_345)
	parts := model.SplitUpload(int64(len(bytesOf)), 2)
	if err := s.PutPart(t.Context(), key, parts[0], bytes.NewReader(bytesOf)); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("PutPart before StartParts: got %v, want ErrNotFound", err)
	}
	if err := s.StartParts(t.Context(), key); err != nil {
		t.Fatalf("StartParts: %v", err)
	}
	other, broken := bytes.Repeat([]byte("x"), len(bytesOf)), errors.New("the line broke")
	for _, part := range slices.Backward(parts) {
		mine := bytesOf[part.Offset:][:part.Size]
		if err := s.PutPart(t.Context(), key, part, bytes.NewReader(other[:part.Size])); err != nil {
			t.Fatalf("PutPart of other bytes: %v", err)
		}
		half := io.MultiReader(bytes.NewReader(mine[:part.Size/2]), iotest.ErrReader(broken))
		if err := s.PutPart(t.Context(), key, part, half); !errors.Is(err, broken) {
			t.Errorf("PutPart that breaks off: got %v, want the error of the reader", err)
		}
		if err := s.PutPart(t.Context(), key, part, bytes.NewReader(mine[:part.Size-1])); !errors.Is(err, storage.ErrIncomplete) {
			t.Errorf("PutPart of too few bytes: got %v, want ErrIncomplete", err)
		}
		if err := s.PutPart(t.Context(), key, part, bytes.NewReader(bytesOf[part.Offset:])); err != nil {
			t.Fatalf("PutPart: %v", err)
		}
		if got, err := s.AppendedPart(t.Context(), key, part); got != part.Size || err != nil {
			t.Errorf("AppendedPart: got %d, %v, want %d", got, err, part.Size)
		}
	}
	if err := s.AssembleParts(t.Context(), key, parts); err != nil {
		t.Fatalf("AssembleParts: %v", err)
	}
	if Content(t, s, key) != string(bytesOf) {
		t.Error("content: got other bytes than were sent last")
	}
	if err := s.PutPart(t.Context(), key, parts[0], bytes.NewReader(other)); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("PutPart after AssembleParts: got %v, want ErrNotFound", err)
	}
}

// Delete removes all parts, and none of them takes bytes afterwards.
func testPartsDeleted(t *testing.T, s storage.Store) {
	const key = "1/api_uploads/a.ply"
	parts := model.SplitUpload(3*model.UploadPartUnit, 3)
	if err := s.StartParts(t.Context(), key); err != nil {
		t.Fatalf("StartParts: %v", err)
	}
	for _, part := range parts {
		if _, err := s.AppendPart(t.Context(), key, part, 0, strings.NewReader("some bytes")); err != nil {
			t.Fatalf("AppendPart: %v", err)
		}
	}
	if err := s.Delete(t.Context(), key); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	for _, part := range slices.Backward(parts) {
		if got, err := s.AppendedPart(t.Context(), key, part); got != 0 || err != nil {
			t.Errorf("AppendedPart after Delete: got %d, %v, want 0", got, err)
		}
		if n, err := s.AppendPart(t.Context(), key, part, 0, strings.NewReader("x")); n != 0 || !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("AppendPart after Delete: got %d, %v, want ErrNotFound", n, err)
		}
	}
	if err := s.AssembleParts(t.Context(), key, parts); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("AssembleParts after Delete: got %v, want ErrNotFound", err)
	}
}
