package mcp

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"portico/graph/view"
	"portico/internal/freespace"
	"portico/model"
)

// smallDisk returns the folder of a file system in memory, if this process may mount one. It uses
// memory only for what is written.
func smallDisk(t *testing.T, bytes int64) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() { check(t, syscall.Unmount(dir, 0)) })
	return dir
}

// A download of unknown length is reserved nowhere, and the database may be on the same disk.
func TestUploadFileFromURL_leaves_room_on_the_disk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, freespace.Reserve)
	w, base := serveWorld(t, func(o *Options) { o.TempDir = dir }), site(t)
	w.call(w.alice, "upload_file_from_url", urlArguments(base+"/unknown-length.ply", "")).
		refused(model.CodeQuotaExceeded, model.DiskFull)
	read[uploadOutput](w.call(w.alice, "upload_file_from_url", urlArguments(base+"/scan.ply", ""))) // without a file there
	left, err := os.ReadDir(dir)
	check(t, err)
	equal(t, "files", len(left), 0)
	equal(t, "used", read[view.User](w.call(w.alice, "get_user_info", `{}`)).Storage.Used, 3)
	equal(t, "log", w.log.String(), "")
}

func TestDownloadFile_stops_before_the_reserve(t *testing.T) {
	t.Parallel()
	file, err := os.CreateTemp(smallDisk(t, freespace.Reserve+freeSpaceInterval*5/2), "")
	check(t, err)
	t.Cleanup(func() { check(t, file.Close()) })
	d, part := &downloadFile{file: file}, make([]byte, freeSpaceInterval/2)
	for i := range 5 {
		_, err := d.Write(part)
		if full := i == 4; errors.Is(err, errDiskFull) != full {
			t.Errorf("part %d: got %v, want full: %t", i, err, full)
		}
	}
}

func TestDownloadFile_translates_a_full_disk(t *testing.T) {
	t.Parallel()
	file, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	check(t, err)
	t.Cleanup(func() { check(t, file.Close()) })
	d := &downloadFile{file: file, unchecked: freeSpaceInterval} // /dev itself may be small
	if _, err := d.Write([]byte("x")); !errors.Is(err, errDiskFull) {
		t.Errorf("write: got %v, want %v", err, errDiskFull)
	}
}
