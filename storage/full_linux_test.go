package storage

import (
	"errors"
	"io"
	"net/http"
	"syscall"
	"testing"
	"time"
)

// A real full disk: a file system of 1 MB in memory, if this process may mount one.
func TestDisk_that_is_full_keeps_no_partial_object(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	s := newTestServer(t, func(o *DiskOptions) { o.Folder = dir })
	s.dir = dir

	const size = 2 << 20
	p := presign(t, s, Upload{Key: "1/big.bin", ContentType: "a/b", Size: size, Expires: s.now.Add(time.Minute)})
	header := http.Header{"Content-Type": {"a/b"}}
	res, body := send(t, http.MethodPut, p.URL, header, io.LimitReader(zeros{}, size))
	checkRefusal(t, res, body, http.StatusInsufficientStorage)
	if _, err := s.Put(t.Context(), "1/big.bin", io.LimitReader(zeros{}, size)); !errors.Is(err, ErrFull) {
		t.Errorf("Put: got %v, want ErrFull", err)
	}
	if kept, incoming := keys(t, s, ""), s.incomingFiles(t); len(kept)+len(incoming) != 0 {
		t.Errorf("kept %q and %q, want nothing", kept, incoming)
	}
	put(t, s, "1/small.bin", "room again")
}
