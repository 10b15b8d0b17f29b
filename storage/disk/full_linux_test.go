package disk

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"portico/internal/freespace"
	"portico/internal/testkit/smalldisk"
	"portico/model"
	"portico/storage"
	"portico/storage/storagetest"
)

// A real full disk: a file system in memory with 1 MB beside the reserve, if this process may mount
// one.
func TestStore_that_is_full_keeps_no_partial_object(t *testing.T) {
	t.Parallel()
	dir := smalldisk.New(t, freespace.Reserve+1<<20)
	s := newTestServer(t, func(o *Options) { o.Folder = dir })
	s.dir = dir

	const size = 2 << 20
	p := storagetest.Presign(t, s, storage.Upload{Key: "1/big.bin", ContentType: "a/b", Size: size, Expires: s.now.Add(time.Minute)})
	header := http.Header{"Content-Type": {"a/b"}}
	res, body := storagetest.Send(t, http.MethodPut, p.URL, header, io.LimitReader(zeros{}, size))
	checkRefusal(t, res, body, http.StatusInsufficientStorage)
	if _, err := s.Put(t.Context(), "1/big.bin", io.LimitReader(zeros{}, size)); !errors.Is(err, storage.ErrFull) {
		t.Errorf("Put: got %v, want ErrFull", err)
	}
	if kept, incoming := storagetest.Keys(t, s, ""), s.incomingFiles(t); len(kept)+len(incoming) != 0 {
		t.Errorf("kept %q and %q, want nothing", kept, incoming)
	}
	if err := s.StartParts(t.Context(), "1/parts.bin"); err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(io.Reader) (int64, error){
		"Append": func(r io.Reader) (int64, error) { return s.Append(t.Context(), "1/tus.bin", 0, r) },
		"AppendPart": func(r io.Reader) (int64, error) {
			return s.AppendPart(t.Context(), "1/parts.bin", model.UploadPart{Size: size}, 0, r)
		},
	} {
		if stored, err := write(io.LimitReader(zeros{}, size)); !errors.Is(err, storage.ErrFull) || stored >= size {
			t.Errorf("%s: stored %d bytes, %v, want ErrFull", name, stored, err)
		}
	}
	for _, key := range []string{"1/tus.bin", "1/parts.bin"} {
		if err := s.Delete(t.Context(), key); err != nil {
			t.Errorf("delete on a full disk: %v", err)
		}
	}
	storagetest.Put(t, s, "1/small.bin", "room again")

	// Somebody else has filled even the reserve: files can be deleted, and the server starts.
	rest, err := os.Create(filepath.Join(dir, "rest"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(struct{ io.Writer }{rest}, zeros{}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("fill the disk: got %v", err)
	}
	openStore(t, s.options())
	if err := s.Delete(t.Context(), "1/small.bin"); err != nil {
		t.Errorf("delete without a free byte: %v", err)
	}
	if err := rest.Close(); err != nil {
		t.Fatal(err)
	}
}
