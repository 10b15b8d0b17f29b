package tus_test

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/s3"
	"portico/internal/testkit/world"
	"portico/model"
)

// stores runs a test with files in a folder, and with files in a bucket.
func stores(t *testing.T, test func(t *testing.T, w world.World)) {
	t.Run("disk", func(t *testing.T) {
		t.Parallel()
		test(t, world.Start(t))
	})
	t.Run("S3", func(t *testing.T) {
		t.Parallel()
		gateway := s3.Start(t)
		test(t, world.Start(t, "--storage-url=s3://"+gateway.Bucket(t)+"?endpoint="+gateway.Endpoint))
	})
}

// newClient creates an account with a quota of 100 MB.
func newClient(t *testing.T, w world.World, name string) *api.Client {
	t.Helper()
	return w.NewClient(t, model.CreateUser{Email: name + "@example.com", Name: name, Plan: model.PlanFree, Quota: 100e6})
}

// create creates a resumable upload and returns its address.
func create(c *api.Client, name string, size int) string {
	c.T.Helper()
	var upload struct {
		Type   string `json:"upload_type"`
		Params api.Upload
	}
	c.Call("POST", "/v1/files/upload", map[string]any{
		"file_name": name, "file_size": size, "content_type": "application/octet-stream", "resumable": true,
	}).Want(200, &upload)
	if upload.Type != "resumable_url" || upload.Params.Method != "PATCH" {
		c.T.Errorf("upload: got %+v, want a resumable one", upload)
	}
	return upload.Params.URL
}

// header returns the headers of a request of the protocol.
func header(c *api.Client, more ...string) http.Header {
	h := http.Header{"Tus-Resumable": {"1.0.0"}}
	if c.Key != "" {
		h.Set("Authorization", "Bearer "+c.Key)
	}
	for i := 0; i < len(more); i += 2 {
		h.Set(more[i], more[i+1])
	}
	return h
}

// patchHeader returns the headers of a piece at an offset.
func patchHeader(c *api.Client, offset int) http.Header {
	return header(c, "Content-Type", "application/offset+octet-stream", "Upload-Offset", strconv.Itoa(offset))
}

// patch sends a piece. A negative size sends it in chunks, without a length.
func patch(c *api.Client, address string, offset int, piece io.Reader, size int) api.Response {
	c.T.Helper()
	return c.Send("PATCH", address, patchHeader(c, offset), piece, int64(size))
}

// offset returns how many bytes the server has, or -1 with a status that is not 200.
func offset(c *api.Client, address string) int {
	c.T.Helper()
	got := c.Send("HEAD", address, header(c), http.NoBody, 0)
	n, err := strconv.Atoi(got.Header.Get("Upload-Offset"))
	if got.Status != http.StatusOK || err != nil {
		return -1
	}
	return n
}

// hang starts a PATCH at the start of an upload that sends the piece and then nothing, and
// returns when the server has stored the piece. finish ends its body and returns the status
// of the response.
func hang(t *testing.T, c *api.Client, address string, piece []byte, stored func() bool) (finish func() int) {
	t.Helper()
	body, w := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, address, body)
	check(t, err)
	r.Header = patchHeader(c, 0)
	status := make(chan int, 1)
	go func() {
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			status <- 0
			return
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		status <- response.StatusCode
	}()
	_, err = io.Copy(w, bytes.NewReader(piece))
	check(t, err)
	api.Eventually(t, "the piece is stored", stored)
	return func() int {
		_ = w.Close()
		return <-status
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
