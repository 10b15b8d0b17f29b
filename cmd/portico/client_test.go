package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/splat/splattest"
)

// client is an account at a server.
type client struct {
	t   testing.TB
	url string // of the server
	id  string
	key string
}

// newUser adds an account by the command, as an operator does, while the server
// runs.
func (p *process) newUser(t testing.TB, email string, flags ...string) *client {
	t.Helper()
	out, errs, code := command(t, p.dir, p.settings, append([]string{"user", "add", email}, flags...)...)
	var user struct {
		ID     string `json:"id"`
		APIKey string `json:"api_key"`
	}
	if err := json.Unmarshal([]byte(out), &user); code != 0 || err != nil || errs != "" {
		t.Fatalf("user add: got code %d, output %q, errors %q, want 0, JSON and none", code, out, errs)
	}
	return &client{t: t, url: p.url, id: user.ID, key: user.APIKey}
}

// answer is what the server said.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// send sends a request with the client's key.
func (c *client) send(method, address string, header http.Header, body io.Reader, size int64) answer {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, address, body)
	check(c.t, err)
	request.Header, request.ContentLength = header, size
	response, err := http.DefaultClient.Do(request)
	check(c.t, err)
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	check(c.t, err)
	return answer{t: c.t, status: response.StatusCode, header: response.Header, body: read}
}

// call calls the API with a JSON body, or none for nil.
func (c *client) call(method, path string, body any) answer {
	c.t.Helper()
	var content []byte
	if body != nil {
		var err error
		content, err = json.Marshal(body)
		check(c.t, err)
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if c.key != "" {
		header.Set("Authorization", "Bearer "+c.key)
	}
	return c.send(method, c.url+path, header, bytes.NewReader(content), int64(len(content)))
}

// want checks the status and reads the data of the envelope into v.
func (a answer) want(status int, v any) {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status: got %d, want %d; body %s", a.status, status, a.body)
	}
	if v == nil {
		return
	}
	envelope := struct{ Data any }{v}
	if err := json.Unmarshal(a.body, &envelope); err != nil {
		a.t.Fatalf("read %s: %v", a.body, err)
	}
}

// content is a file to upload: how long it is, and how to write it.
type content struct {
	size  int64
	write io.WriterTo
}

// capture returns the zip of a capture without holding it in memory.
func capture(t testing.TB, c splattest.Capture) content {
	t.Helper()
	size, err := c.WriteTo(io.Discard)
	check(t, err)
	return content{size, c}
}

func text(s string) content { return content{int64(len(s)), strings.NewReader(s)} }

type presigned struct {
	URL, Method string
	Headers     map[string]string
}

// promise asks for a place for a file.
func (c *client) promise(name string, size int64) presigned {
	c.t.Helper()
	var upload struct{ Params presigned }
	c.call("POST", "/v1/files/upload", map[string]any{
		"file_name": name, "file_size": size, "content_type": "application/octet-stream",
	}).want(200, &upload)
	return upload.Params
}

// put sends the bytes and returns the address without its query.
func (c *client) put(name string, file content) string {
	c.t.Helper()
	params := c.promise(name, file.size)
	header := http.Header{}
	for name, value := range params.Headers {
		header.Set(name, value)
	}
	r, w := io.Pipe()
	go func() {
		_, err := file.write.WriteTo(w)
		w.CloseWithError(err)
	}()
	c.send(params.Method, params.URL, header, r, file.size).want(200, nil)
	address, _, _ := strings.Cut(params.URL, "?")
	return address
}

// completion is the body that confirms an upload.
func completion(address string) map[string]any {
	return map[string]any{"status": "success", "extra_info": map[string]string{"file_url": address}}
}

// startJob uploads a zip and returns the id of its job.
func (c *client) startJob(name string, file content) string {
	c.t.Helper()
	var started struct {
		JobID   string `json:"job_id"`
		PollURL string `json:"poll_url"`
	}
	c.call("POST", "/v1/files/upload-complete", completion(c.put(name, file))).want(202, &started)
	if want := "/v1/jobs/" + started.JobID; started.PollURL != want {
		c.t.Errorf("poll_url: got %q, want %q", started.PollURL, want)
	}
	return started.JobID
}

// job is a state of a job, as every way to watch a job shows it.
type job struct {
	Status   string  `json:"job_status"`
	Progress float64 `json:"progress"`
	Message  string  `json:"message"`
	Result   *struct {
		ResourceKey string `json:"resource_key"`
		URL         string `json:"url"`
	} `json:"result"`
	Error *string `json:"error"`
}

func (j job) ended() bool {
	return strings.EqualFold(j.Status, "completed") || strings.EqualFold(j.Status, "failed")
}

func (c *client) job(id string) job {
	c.t.Helper()
	var j job
	c.call("GET", "/v1/jobs/"+id, nil).want(200, &j)
	return j
}

// poll polls the job until the condition holds and returns its state then.
// Progress must never fall.
func (c *client) poll(id, what string, holds func(job) bool) job {
	c.t.Helper()
	var now job
	eventually(c.t, what, func() bool {
		last := now.Progress
		if now = c.job(id); now.Progress < last {
			c.t.Errorf("progress: got %v after %v, want it never to fall", now.Progress, last)
		}
		return holds(now)
	})
	return now
}

// await polls the job to its end.
func (c *client) await(id string) job {
	c.t.Helper()
	return c.poll(id, "the job has ended", job.ended)
}

// moved returns the client of an account that was there before the server started
// again, at another address.
func (p *process) moved(c *client) *client {
	moved := *c
	moved.url = p.url
	return &moved
}

// took returns a function that logs how long something took.
func took(t testing.TB, what string) func() {
	began := time.Now()
	return func() { t.Logf("%s: %v", what, time.Since(began).Round(time.Millisecond)) }
}

// used returns how much storage is used.
func (c *client) used() int64 {
	c.t.Helper()
	var me struct{ Storage struct{ Used int64 } }
	c.call("GET", "/v1/user/me", nil).want(200, &me)
	return me.Storage.Used
}

// awaitUsed waits until so much storage is used: what is removed counts until it is
// gone from the store.
func (c *client) awaitUsed(want int64) {
	c.t.Helper()
	eventually(c.t, fmt.Sprintf("%d bytes of storage are used", want), func() bool { return c.used() == want })
}
