package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

// maxWait limits how long Eventually waits. On an idle machine all conditions become true within
// seconds, but under the race detector and with other tests a collision has taken a minute.
const maxWait = 3 * time.Minute

// Client is an account at a server. Its methods fail the test instead of returning an error, except
// for the refusals of the three doors (see doors.go).
type Client struct {
	T   testing.TB
	URL string // the server's base URL
	ID  string // the id of the account
	Key string // "" sends requests that are not signed in
}

// Response is a response of the server whose body has been read.
type Response struct {
	T      testing.TB
	Status int
	Header http.Header
	Body   []byte
}

// Send sends a request with exactly these headers. Call also adds the client's key. size is the
// length of the body in bytes, and address is absolute.
func (c *Client) Send(method, address string, header http.Header, body io.Reader, size int64) Response {
	c.T.Helper()
	request, err := http.NewRequestWithContext(c.T.Context(), method, address, body)
	check(c.T, err)
	request.Header, request.ContentLength = header, size
	response, err := http.DefaultClient.Do(request)
	check(c.T, err)
	defer func() { _ = response.Body.Close() }() // it was read
	read, err := io.ReadAll(response.Body)
	check(c.T, err)
	return Response{T: c.T, Status: response.StatusCode, Header: response.Header, Body: read}
}

// Call calls a path of the API with a JSON body, or none for nil.
func (c *Client) Call(method, path string, body any) Response {
	c.T.Helper()
	var content []byte
	if body != nil {
		var err error
		content, err = json.Marshal(body)
		check(c.T, err)
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if c.Key != "" {
		header.Set("Authorization", "Bearer "+c.Key)
	}
	return c.Send(method, c.URL+path, header, bytes.NewReader(content), int64(len(content)))
}

// Want checks the status and, unless v is nil, reads the data of the envelope into v.
func (r Response) Want(status int, v any) {
	r.T.Helper()
	if r.Status != status {
		r.T.Fatalf("status: got %d, want %d; body %s", r.Status, status, r.Body)
	}
	if v == nil {
		return
	}
	envelope := struct{ Data any }{v}
	if err := json.Unmarshal(r.Body, &envelope); err != nil {
		r.T.Fatalf("read %s: %v", r.Body, err)
	}
}

// Used returns the bytes of storage that the account uses.
func (c *Client) Used() int64 {
	c.T.Helper()
	var me struct{ Storage struct{ Used int64 } }
	c.Call("GET", "/v1/user/me", nil).Want(200, &me)
	return me.Storage.Used
}

// AwaitUsed waits until the account uses this many bytes of storage. Deleted files count
// until the store has removed them.
func (c *Client) AwaitUsed(want int64) {
	c.T.Helper()
	Eventually(c.T, fmt.Sprintf("%d bytes of storage are used", want), func() bool { return c.Used() == want })
}

// Eventually waits until the condition is true. what describes the condition.
func Eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	EventuallyWithin(t, maxWait, what, condition)
}

// EventuallyWithin is Eventually with another limit, for conditions that take minutes. It must be
// called on the goroutine of the test.
func EventuallyWithin(t testing.TB, limit time.Duration, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting until %s", what)
		}
		<-ticker.C
	}
}

// check fails the test at once if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
