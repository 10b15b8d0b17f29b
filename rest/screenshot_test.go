package rest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"portico/model"
)

func TestScreenshot_is_the_picture_that_the_owner_chose(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key, _ := w.upload(w.alice, "view.jpg", "a JPEG")
	theirs, _ := w.upload(w.bob, "theirs.jpg", "another JPEG")
	for _, key := range []string{key, theirs} {
		check(t, w.db.Files().SetFacts(t.Context(), key, &model.FileFacts{Format: model.FormatJPEG, Width: 640, Height: 400}))
	}
	space := w.space(w.alice, `{}`)
	path := "/v1/spaces/" + space + "/screenshot"
	none := `{'status':'error','message':'The space has no picture yet'}`
	w.call(w.alice, "GET", path, "").want(404, none)
	w.call(w.alice, "PUT", "/v1/spaces/"+space, `{"picture":"`+theirs+`"}`) // nobody else's
	w.call(w.alice, "GET", path, "").want(404, none)
	w.call(w.alice, "PUT", "/v1/spaces/"+space, `{"picture":{"of":"another client"}}`)
	w.call(w.alice, "GET", path, "").want(404, none)
	w.call(w.alice, "PUT", "/v1/spaces/"+space, `{"picture":"`+key+`"}`)
	got := w.call(w.alice, "GET", path+"?width=320", "")
	if got.status != 200 || got.body != "a JPEG" || got.header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("picture: got %d %s %q, want 200 image/jpeg", got.status, got.header.Get("Content-Type"), got.body)
	}
	w.call(w.alice, "GET", path+"?width=0", "").want(400, `{'status':'error','message':'width must be from 1 to 4096'}`)
	if got := w.call(w.bob, "GET", path, ""); got.status != 403 {
		t.Errorf("another user: got %d, want 403: the space is Private", got.status)
	}
}

// cutConnection is the connection of a client that disconnects during the first write.
type cutConnection struct {
	header http.Header
	writes int
}

func (c *cutConnection) Header() http.Header { return c.header }

func (c *cutConnection) WriteHeader(int) {}

func (c *cutConnection) Write([]byte) (int, error) {
	c.writes++
	return 0, io.ErrClosedPipe
}

func TestScreenshot_writes_nothing_after_the_client_has_disconnected(t *testing.T) {
	t.Parallel()
	var options Options
	w := serveWorld(t, func(o *Options) { options = *o })
	key, _ := w.upload(w.alice, "view.jpg", "a JPEG")
	check(t, w.db.Files().SetFacts(t.Context(), key, &model.FileFacts{Format: model.FormatJPEG, Width: 640, Height: 400}))
	space := w.space(w.alice, `{}`)
	w.call(w.alice, "PUT", "/v1/spaces/"+space, `{"picture":"`+key+`"}`).status2xx()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/v1/spaces/"+space+"/screenshot", nil)
	r.Header.Set("Authorization", "Bearer "+w.alice.key)
	connection := &cutConnection{header: http.Header{}}
	New(options).ServeHTTP(connection, r)
	if connection.writes != 1 || connection.header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("response: got %d writes of %s, want one of image/jpeg", connection.writes, connection.header.Get("Content-Type"))
	}
	for _, line := range w.log.Lines() {
		t.Errorf("log: got %s, want nothing: a client may disconnect", line)
	}
}
