package storagetest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"portico/storage"
)

// testBatch holds that a batch stores what Put does.
func testBatch(t *testing.T, s storage.Store) {
	Put(t, s, "1/room/a.json", "before")
	batch := storage.NewBatch(s)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			body := strings.Repeat("x", i)
			if n, err := batch.Put(t.Context(), fmt.Sprintf("1/room/tiles/%02d.sog", i), strings.NewReader(body)); err != nil || n != int64(i) {
				t.Errorf("put: got %d, %v, want %d", n, err, i)
			}
		})
	}
	all.Wait()
	if _, err := batch.Put(t.Context(), "1/room/a.json", strings.NewReader("after")); err != nil {
		t.Fatalf("replace: %v", err)
	}
	broken := failingReader{strings.NewReader("half"), func() error { return io.ErrUnexpectedEOF }}
	if _, err := batch.Put(t.Context(), "1/room/half.sog", broken); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half an object: got %v, want %v", err, io.ErrUnexpectedEOF)
	}
	if _, err := batch.Put(t.Context(), "1/../2/a.json", strings.NewReader("")); !errors.Is(err, storage.ErrInvalidKey) {
		t.Errorf("invalid key: got %v, want %v", err, storage.ErrInvalidKey)
	}
	if err := errors.Join(batch.Commit(), batch.Close()); err != nil {
		t.Fatalf("commit: %v", err)
	}
	if got := Content(t, s, "1/room/a.json"); got != "after" {
		t.Errorf("content: got %q, want it replaced", got)
	}
	count := 0
	for object, err := range s.List(t.Context(), "1/room/tiles") {
		if err != nil || object.Size != int64(count) {
			t.Errorf("object %d: got %+v, %v", count, object, err)
		}
		count++
	}
	if count != 20 {
		t.Errorf("objects: got %d, want 20", count)
	}
	if _, err := s.Stat(t.Context(), "1/room/half.sog"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("half an object: got %v, want %v", err, storage.ErrNotFound)
	}
}
