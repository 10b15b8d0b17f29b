package storagetest

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/storage"
)

func testPutAndRead(t *testing.T, s storage.Store) {
	const key = "12345678/api_uploads/k3_räum 100% #1?.glb"
	before := time.Now()
	Put(t, s, key, "glTF")
	object, err := s.Stat(t.Context(), key)
	if err != nil {
		t.Fatalf("Stat: %v", err)
	}
	if object.Key != key || object.Size != 4 || object.ContentType != "model/gltf-binary" {
		t.Errorf("Stat = %+v, want the key, size 4, model/gltf-binary", object)
	}
	if !strings.HasPrefix(object.ETag, `"`) || len(object.ETag) < 4 {
		t.Errorf("ETag = %s, want a strong one in quotes", object.ETag)
	}
	if age := object.ModifiedAt.Sub(before).Abs(); age > time.Minute || object.ModifiedAt.Location() != time.UTC {
		t.Errorf("ModifiedAt = %v, want about %v in UTC", object.ModifiedAt, before)
	}
	if got := Content(t, s, key); got != "glTF" {
		t.Errorf("content = %q, want %q", got, "glTF")
	}
	Put(t, s, "12345678/empty.bin", "")
	if got := Content(t, s, "12345678/empty.bin"); got != "" {
		t.Errorf("content = %q, want nothing", got)
	}
}

func testPutReplaces(t *testing.T, s storage.Store) {
	Put(t, s, "1/a.json", "before")
	Put(t, s, "1/a.json", "after")
	if got, want := Content(t, s, "1/a.json"), "after"; got != want {
		t.Errorf("content = %q, want %q", got, want)
	}
}

// failingReader returns some bytes and then calls its end.
type failingReader struct {
	bytes io.Reader
	end   func() error
}

// Read implements io.Reader.
func (r failingReader) Read(p []byte) (int, error) {
	if n, err := r.bytes.Read(p); err == nil {
		return n, nil
	}
	return 0, r.end()
}

func testPutIsWholeOrNothing(t *testing.T, s storage.Store) {
	errSource := errors.New("source is gone")
	Put(t, s, "1/old.bin", "old")
	for _, key := range []string{"1/old.bin", "1/new.bin"} {
		_, err := s.Put(t.Context(), key, failingReader{strings.NewReader("half"), func() error { return errSource }})
		if !errors.Is(err, errSource) {
			t.Errorf("Put(%q): got %v, want the reader's error", key, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err = s.Put(ctx, key, failingReader{strings.NewReader("half"), func() error { cancel(); return io.EOF }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Put(%q) when canceled: got %v, want context.Canceled", key, err)
		}
	}
	if got, want := Content(t, s, "1/old.bin"), "old"; got != want {
		t.Errorf("content = %q, want %q", got, want)
	}
	if got, want := Keys(t, s, ""), []string{"1/old.bin"}; !slices.Equal(got, want) {
		t.Errorf("List = %q, want %q", got, want)
	}
}

func testReadStaysAsOpened(t *testing.T, s storage.Store) {
	Put(t, s, "1/a.bin", "before")
	r, size, err := s.OpenReaderAt(t.Context(), "1/a.bin")
	if err != nil {
		t.Fatalf("OpenReaderAt: %v", err)
	}
	defer r.Close()
	Put(t, s, "1/a.bin", "after!")
	got := make([]byte, 3)
	n, err := r.ReadAt(got, 3)
	// A store that cannot keep the old bytes must refuse to mix in new ones.
	if err == nil && (string(got[:n]) != "ore" || size != 6) {
		t.Errorf("ReadAt = %q of %d, want %q of 6 or an error", got[:n], size, "ore")
	}
}

func testReadEndsWithContext(t *testing.T, s storage.Store) {
	Put(t, s, "1/a.bin", "bytes")
	ctx, cancel := context.WithCancel(t.Context())
	r, err := s.Open(ctx, "1/a.bin")
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer r.Close()
	cancel()
	if _, err := io.ReadAll(r); !errors.Is(err, context.Canceled) {
		t.Errorf("read after cancel: got %v, want context.Canceled", err)
	}
}

func testZipByRandomAccess(t *testing.T, s storage.Store) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.Create("data/0.sog")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "tile"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	Put(t, s, "1/room.zip", archive.String())
	r, size, err := s.OpenReaderAt(t.Context(), "1/room.zip")
	if err != nil {
		t.Fatalf("OpenReaderAt: %v", err)
	}
	defer r.Close()
	files, err := zip.NewReader(r, size)
	if err != nil {
		t.Fatalf("zip.NewReader: %v", err)
	}
	tile, err := files.Open("data/0.sog")
	if err != nil {
		t.Fatalf("open entry: %v", err)
	}
	if got, err := io.ReadAll(tile); string(got) != "tile" || err != nil {
		t.Errorf("entry = %q, %v, want %q", got, err, "tile")
	}
}
