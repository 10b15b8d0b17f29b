package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// remote is a server with the key of an account.
type remote struct{ server, key string }

// refusedError is an answer with an error.
type refusedError struct {
	status  int
	message string
	body    []byte
}

// Error returns the server's message.
func (e *refusedError) Error() string { return e.message }

// isTemporary reports whether an upload can go on later. Conflict means that another request
// has changed the offset, and Locked that the server has not noticed the end of one yet.
func (e *refusedError) isTemporary() bool {
	switch e.status {
	case http.StatusConflict, http.StatusLocked, http.StatusTooManyRequests, http.StatusRequestTimeout:
		return true
	}
	return e.status >= http.StatusInternalServerError && e.status != http.StatusInsufficientStorage
}

// maxAnswer is the maximum size of an answer that is read, in bytes.
const maxAnswer = 1 << 20

// do sends a request with the key and returns the headers and the body of the answer, or a
// *refusedError.
func (r *remote) do(ctx context.Context, method, address string, header http.Header, body io.Reader) (http.Header, []byte, error) {
	answer, err := r.open(ctx, method, address, header, body)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close() //nolint:errcheck // read only
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	return answer.Header, content, err
}

// open is do for an answer of any size, which the caller reads and closes. Redirects are not
// followed, so that the key stays at the server.
func (r *remote) open(ctx context.Context, method, address string, header http.Header, body io.Reader) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	if sized, ok := body.(interface{ Size() int64 }); ok {
		request.ContentLength = sized.Size()
	}
	request.Header = header
	request.Header.Set("Authorization", "Bearer "+r.key)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	if err != nil || answer.StatusCode < http.StatusMultipleChoices {
		return answer, err
	}
	defer answer.Body.Close() //nolint:errcheck // read only
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	var refusal struct{ Message string }
	_ = json.Unmarshal(content, &refusal) // an answer of a proxy is no JSON
	return nil, errors.Join(&refusedError{answer.StatusCode, cmp.Or(refusal.Message, answer.Status), content}, err)
}

// send is do without the body of the answer.
func (r *remote) send(ctx context.Context, method, address string, header http.Header, body io.Reader) (http.Header, error) {
	answer, _, err := r.do(ctx, method, address, header, body)
	return answer, err
}

// call calls a path of the API with a body, and reads the data of the answer into v.
func (r *remote) call(ctx context.Context, method, path string, body, v any) error {
	envelope := struct{ Data any }{v}
	return r.exchange(ctx, method, path, body, &envelope)
}

// exchange calls a path with a body, and reads the whole answer into v.
func (r *remote) exchange(ctx context.Context, method, path string, body, v any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	address := strings.TrimRight(r.server, "/") + path
	_, answer, err := r.do(ctx, method, address, http.Header{"Content-Type": {"application/json"}}, bytes.NewReader(content))
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, v)
}

// pathOfEntities returns the path of the list of a space's entities.
func pathOfEntities(space string) string { return "/v1/spaces/" + url.PathEscape(space) + "/entities" }

// checkOwned returns an error unless the space is the account's own: only the owner of a
// space lists its entities. A wrong space is found before a large file is sent.
func (r *remote) checkOwned(ctx context.Context, space string) error {
	_, err := r.send(ctx, http.MethodGet, strings.TrimRight(r.server, "/")+pathOfEntities(space)+"?limit=1", http.Header{}, nil)
	return err
}

// parallelFrom is the size from which a file is sent in parts at the same time, in bytes.
const parallelFrom = 64 << 20

// createUpload creates a resumable upload and returns its address. A large file is divided into parts.
func (r *remote) createUpload(ctx context.Context, name string, size int64, parts int) (string, error) {
	var created struct{ Params struct{ URL string } }
	body := map[string]any{"file_name": name, "file_size": size, "content_type": "application/octet-stream", "resumable": true}
	if size >= parallelFrom {
		body["parts"] = parts
	}
	err := r.call(ctx, http.MethodPost, "/v1/files/upload", body, &created)
	return created.Params.URL, err
}

// completeUpload confirms the upload and waits for its job, if it has one.
func (r *remote) completeUpload(ctx context.Context, address string, p *progress) (*uploaded, error) {
	var confirmed struct {
		uploaded
		PollURL string `json:"poll_url"`
	}
	err := r.call(ctx, http.MethodPost, "/v1/files/upload-complete", map[string]any{
		"status": "success", "extra_info": map[string]string{"file_url": address},
	}, &confirmed)
	for err == nil && confirmed.PollURL != "" && confirmed.URL == "" {
		var job struct {
			Status, Message, Error string
			Progress               float64
			Result                 *uploaded
		}
		if err = r.call(ctx, http.MethodGet, confirmed.PollURL, nil, &job); err != nil {
			break
		}
		switch {
		case job.Result != nil:
			return job.Result, nil
		case job.Error != "":
			return nil, fmt.Errorf("the server could not process the file: %s", job.Error)
		}
		p.report(job.Progress, job.Message)
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(pollEvery):
		}
	}
	return &confirmed.uploaded, err
}
