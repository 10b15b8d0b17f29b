package mcp

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"portico/internal/testkit/leak"
)

// All others are parallel and wait for this one, so that what it finds is its
// own.
func TestDoor_leaves_nothing_running(t *testing.T) { //nolint:paralleltest // see above
	w, base := newWorld(t), site(t)
	job := w.queued(w.alice)
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	before := goleak.IgnoreCurrent()
	w.door.longWait = 1
	session := w.connect(w.alice, "/v1/mcp")
	check(t, session.Close())
	w.send(w.alice, withToken("get_job", jobArguments(job.ID, `,"wait":true`), "t"))
	w.call(w.alice, "list_spaces", `{}`)
	w.call(w.alice, "upload_file_from_url", urlArguments(base+"/unknown-length.ply", ""))
	w.call(w.alice, "upload_file_from_url", urlArguments(base+"/endless.ply", ""))
	w.call(w.alice, "upload_file_from_url", urlArguments(base+"/none.ply", ""))
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	leak.None(t, before, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}
