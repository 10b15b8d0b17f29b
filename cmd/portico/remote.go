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
)

// remote is a client of a server, with the API key of an account. It is safe for concurrent use.
type remote struct {
	server, key string
	transport   http.RoundTripper // nil means http.DefaultTransport
}

// refusedError is a response whose status is not a success.
type refusedError struct {
	status  int
	message string
	// body is the whole response, at most maxResponse bytes. It may be something other than JSON, if
	// a proxy has responded.
	body []byte
}

// Error returns the server's message.
func (e *refusedError) Error() string { return e.message }

// isTemporary reports whether an upload can continue later. Conflict means that another request
// has changed the offset. Locked means that the server has not yet noticed that another request
// has ended.
func (e *refusedError) isTemporary() bool {
	switch e.status {
	case http.StatusConflict, http.StatusLocked, http.StatusTooManyRequests, http.StatusRequestTimeout:
		return true
	}
	return e.status >= http.StatusInternalServerError && e.status != http.StatusInsufficientStorage
}

// maxResponse is the maximum size of a response that is read, in bytes. The response to a change
// set of model.MaxChanges files has less than 2 MB.
const maxResponse = 16 << 20

// do sends a request with the key and returns the headers and the body of the response, or a
// *refusedError.
func (r *remote) do(ctx context.Context, method, address string, header http.Header, body io.Reader) (http.Header, []byte, error) {
	response, err := r.open(ctx, method, address, header, body)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close() //nolint:errcheck // read only
	content, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if len(content) > maxResponse {
		return nil, nil, fmt.Errorf("the response of the server has more than %d bytes", maxResponse)
	}
	return response.Header, content, err
}

// open is do for a response of any size, which the caller reads and closes. It does not follow
// redirects, so that no other server gets the key: the error names the other address. It has the
// limit of stallTransport, which also applies to reading the response.
func (r *remote) open(ctx context.Context, method, address string, header http.Header, body io.Reader) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	// http.NewRequest knows the length of a bytes.Reader, but not of a part of a file. Without a
	// length it would send the body in chunks.
	if sized, ok := body.(interface{ Size() int64 }); ok {
		request.ContentLength = sized.Size()
	}
	request.Header = header
	request.Header.Set("Authorization", "Bearer "+r.key)
	client := http.Client{
		Transport:     &stallTransport{base: cmp.Or(r.transport, http.DefaultTransport)},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil || response.StatusCode < http.StatusMultipleChoices {
		return response, err
	}
	defer response.Body.Close() //nolint:errcheck // read only
	content, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	var refusal struct{ Message string }
	_ = json.Unmarshal(content, &refusal) // a response of a proxy need not be JSON
	message := cmp.Or(refusal.Message, r.redirection(response), sizeLimit(response), response.Status)
	return nil, errors.Join(&refusedError{response.StatusCode, message, content}, err)
}

// sizeLimit says why a response without a message of the server refuses the size of a request. It
// returns "" for other responses.
func sizeLimit(response *http.Response) string {
	if response.StatusCode != http.StatusRequestEntityTooLarge {
		return ""
	}
	return fmt.Sprintf("a proxy in front of the server accepts no request of %d bytes: raise its limit (in nginx client_max_body_size)",
		max(0, response.Request.ContentLength))
}

// redirection says where a response redirects to, and what to do. It returns "" for a response
// without another address.
//
// A server that now requires https redirects each path to the same path of its new address. A page
// to sign in, of a proxy for example, has a path of its own.
func (r *remote) redirection(response *http.Response) string {
	location, err := response.Location()
	if err != nil {
		return ""
	}
	path := response.Request.URL.Path
	if base, err := url.Parse(r.server); err == nil {
		path = strings.TrimPrefix(path, strings.TrimRight(base.Path, "/"))
	}
	base, isSamePath := strings.CutSuffix(location.Path, path)
	server := (&url.URL{Scheme: location.Scheme, Host: location.Host, Path: base}).String()
	if !isSamePath || server == strings.TrimRight(r.server, "/") {
		return fmt.Sprintf("the server redirects to %s: check the address of --server", location.Redacted())
	}
	return fmt.Sprintf("the server has moved to %s: add --server %s", server, server)
}

// send is do without the body of the response.
func (r *remote) send(ctx context.Context, method, address string, header http.Header, body io.Reader) (http.Header, error) {
	response, _, err := r.do(ctx, method, address, header, body)
	return response, err
}

// call calls a path of the API with a body, and reads the data of the response into v. The response
// is the envelope of the API: {"status": "ok", "data": v}.
func (r *remote) call(ctx context.Context, method, path string, body, v any) error {
	envelope := struct{ Data any }{v}
	return r.exchange(ctx, method, path, body, &envelope)
}

// exchange calls a path, with a body unless body is nil, and reads the whole response into v.
func (r *remote) exchange(ctx context.Context, method, path string, body, v any) error {
	header, content := http.Header{}, io.Reader(http.NoBody)
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		header.Set("Content-Type", "application/json")
		content = bytes.NewReader(encoded)
	}
	_, response, err := r.do(ctx, method, strings.TrimRight(r.server, "/")+path, header, content)
	if err != nil {
		return err
	}
	return json.Unmarshal(response, v)
}

// pathOfEntities returns the path of the list of a space's entities.
func pathOfEntities(space string) string { return "/v1/spaces/" + url.PathEscape(space) + "/entities" }

// checkOwned returns an error unless the account owns the space. It lists the entities of the
// space, which only the owner can do. Call it before a large file is sent.
func (r *remote) checkOwned(ctx context.Context, space string) error {
	_, err := r.send(ctx, http.MethodGet, strings.TrimRight(r.server, "/")+pathOfEntities(space)+"?limit=1", http.Header{}, nil)
	return err
}
