package api

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"portico/splat/splattest"
)

// Content is a file to upload. Source is written once for each upload, so a Content of Text can be
// uploaded only once.
type Content struct {
	Size   int64 // in bytes
	Source io.WriterTo
}

// Text returns a file with this text.
func Text(s string) Content { return Content{int64(len(s)), strings.NewReader(s)} }

// Capture returns the zip of a capture, which is never completely in memory.
func Capture(t testing.TB, c splattest.Capture) Content {
	t.Helper()
	size, err := c.WriteTo(io.Discard)
	check(t, err)
	return Content{size, c}
}

// Upload is a presigned request for the bytes of a file.
type Upload struct {
	URL, Method string
	Headers     map[string]string
}

// Promise announces a file and returns the request that uploads it.
func (c *Client) Promise(name string, size int64) Upload {
	c.T.Helper()
	var upload struct{ Params Upload }
	c.Call("POST", "/v1/files/upload", map[string]any{
		"file_name": name, "file_size": size, "content_type": "application/octet-stream",
	}).Want(200, &upload)
	return upload.Params
}

// Put announces a file, uploads it, and returns its address without the query. The bytes go through
// a pipe, so that a large file is never completely in memory.
func (c *Client) Put(name string, file Content) string {
	c.T.Helper()
	r, w := io.Pipe()
	go func() {
		_, err := file.Source.WriteTo(w)
		w.CloseWithError(err)
	}()
	return c.PutTo(c.Promise(name, file.Size), r, file.Size)
}

// PutTo uploads the bytes of an announced file and returns its address without the query.
func (c *Client) PutTo(upload Upload, body io.Reader, size int64) string {
	c.T.Helper()
	header := http.Header{}
	for name, value := range upload.Headers {
		header.Set(name, value)
	}
	c.Send(upload.Method, upload.URL, header, body, size).Want(200, nil)
	address, _, _ := strings.Cut(upload.URL, "?")
	return address
}

// Completion returns the body that confirms an upload.
func Completion(address string) map[string]any {
	return map[string]any{"status": "success", "extra_info": map[string]string{"file_url": address}}
}

// StartJob uploads a zip and returns the id of its job.
func (c *Client) StartJob(name string, file Content) string {
	c.T.Helper()
	var started struct {
		JobID   string `json:"job_id"`
		PollURL string `json:"poll_url"`
	}
	c.Call("POST", "/v1/files/upload-complete", Completion(c.Put(name, file))).Want(202, &started)
	if want := "/v1/jobs/" + started.JobID; started.PollURL != want {
		c.T.Errorf("poll_url: got %q, want %q", started.PollURL, want)
	}
	return started.JobID
}
