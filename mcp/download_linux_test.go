package mcp

import (
	"os"
	"testing"

	"portico/graph/view"
	"portico/internal/freespace"
	"portico/internal/testkit/smalldisk"
	"portico/model"
)

// A download of unknown length is reserved nowhere, and the database may be on the same disk.
func TestUploadFileFromURL_leaves_room_on_the_disk(t *testing.T) {
	t.Parallel()
	dir := smalldisk.New(t, freespace.Reserve)
	w, base := serveWorld(t, func(o *Options) { o.TempFolder = dir }), site(t)
	w.call(w.alice, "upload_file_from_url", urlArguments(base+"/unknown-length.ply", "")).
		refused(model.CodeQuotaExceeded, model.DiskFull)
	read[uploadOutput](w.call(w.alice, "upload_file_from_url", urlArguments(base+"/scan.ply", ""))) // without a file there
	left, err := os.ReadDir(dir)
	check(t, err)
	equal(t, "files", len(left), 0)
	equal(t, "used", read[view.User](w.call(w.alice, "get_user_info", `{}`)).Storage.Used, 3)
	equal(t, "log", w.log.String(), "")
}
