// Package client is a client of a Portico server over its public APIs: REST, GraphQL and tus. The
// commands of the command line that work on a server use it. It needs an API key and nothing else,
// so the server applies the same rules to it as to every other client.
//
// A Client calls operations of REST (Call) and of GraphQL (CallGraphQL), uploads files, pulls spaces
// and deletes files. An error of the server is a *RefusedError.
//
// # Uploads
//
// Upload does all of it for a file that is not continued later. CreateUpload, SendFile and
// CompleteUpload are its steps, for a caller that keeps the address and continues the upload in
// another process. All of them continue after broken connections and while the server restarts.
//
// # Repeated requests
//
// A Client sends a request of Call once. The caller decides whether the server may get it twice:
//
//	UntilResponse        repeats it after a network error or a fault of the server
//	RetryWhenLimited     repeats it when a rate limit has refused it
//	RepeatUntilResponse  does both
//	DeleteInRounds       deletes what a failed command has made, also after an interrupt
//
// A request that sends and receives no byte for MaxStall is canceled.
package client

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

	"github.com/cenkalti/backoff/v5"

	"portico/model"
)

// Client calls a server with the API key of an account. It is safe for concurrent use.
type Client struct {
	Server, Key string            // Server is the address of the server, without a slash at its end
	Transport   http.RoundTripper // nil means http.DefaultTransport
}

// New returns a client of the server at an address.
func New(server, key string) *Client {
	return &Client{Server: strings.TrimRight(server, "/"), Key: key}
}

// RefusedError is a response whose status is not a success.
type RefusedError struct {
	Status  int
	Message string
	// Body is the whole response, at most maxResponse bytes. It may be something other than JSON, if
	// a proxy has responded.
	Body []byte
}

// Error returns the server's message.
func (e *RefusedError) Error() string { return e.Message }

// isTemporary reports whether an upload can continue later. Conflict means that another request
// has changed the offset. Locked means that the server has not yet noticed that another request
// has ended.
func (e *RefusedError) isTemporary() bool {
	switch e.Status {
	case http.StatusConflict, http.StatusLocked, http.StatusTooManyRequests, http.StatusRequestTimeout:
		return true
	}
	return e.Status >= http.StatusInternalServerError && e.Status != http.StatusInsufficientStorage
}

// maxResponse is the maximum size of a response that is read, in bytes. The response to a change
// set of model.MaxChanges files has less than 2 MB.
const maxResponse = 16 << 20

// Do sends a request with the key and returns the headers and the body of the response, or a
// *RefusedError.
func (c *Client) Do(ctx context.Context, method, address string, header http.Header, body io.Reader) (http.Header, []byte, error) {
	response, err := c.open(ctx, method, address, header, body)
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

// open is Do for a response of any size, which the caller reads and closes. It does not follow
// redirects, so that no other server gets the key: the error names the other address. It has the
// limit of stallTransport, which also applies to reading the response.
func (c *Client) open(ctx context.Context, method, address string, header http.Header, body io.Reader) (*http.Response, error) {
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
	if c.Key != "" { // everybody may read Public spaces
		request.Header.Set("Authorization", "Bearer "+c.Key)
	}
	client := http.Client{
		Transport:     &stallTransport{base: cmp.Or(c.Transport, http.DefaultTransport)},
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
	message := cmp.Or(refusal.Message, c.redirection(response), sizeLimit(response), response.Status)
	return nil, errors.Join(&RefusedError{response.StatusCode, message, content}, err)
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
func (c *Client) redirection(response *http.Response) string {
	location, err := response.Location()
	if err != nil {
		return ""
	}
	path := response.Request.URL.Path
	if base, err := url.Parse(c.Server); err == nil {
		path = strings.TrimPrefix(path, strings.TrimRight(base.Path, "/"))
	}
	base, isSamePath := strings.CutSuffix(location.Path, path)
	server := (&url.URL{Scheme: location.Scheme, Host: location.Host, Path: base}).String()
	if !isSamePath || server == c.Server {
		return fmt.Sprintf("the server redirects to %s: check the address of --server", location.Redacted())
	}
	return fmt.Sprintf("the server has moved to %s: add --server %s", server, server)
}

// Send is Do without the body of the response.
func (c *Client) Send(ctx context.Context, method, address string, header http.Header, body io.Reader) (http.Header, error) {
	response, _, err := c.Do(ctx, method, address, header, body)
	return response, err
}

// Call calls a path of the API with a body, and reads the data of the response into v. The response
// is the envelope of the API: {"status": "ok", "data": v}.
func (c *Client) Call(ctx context.Context, method, path string, body, v any) error {
	envelope := struct{ Data any }{v}
	return c.exchange(ctx, method, path, body, &envelope)
}

// exchange calls a path, with a body unless body is nil, and reads the whole response into v.
func (c *Client) exchange(ctx context.Context, method, path string, body, v any) error {
	header, content := http.Header{}, io.Reader(http.NoBody)
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		header.Set("Content-Type", "application/json")
		content = bytes.NewReader(encoded)
	}
	_, response, err := c.Do(ctx, method, c.Server+path, header, content)
	if err != nil {
		return err
	}
	return json.Unmarshal(response, v)
}

// pathOfEntities returns the path of the list of a space's entities.
func pathOfEntities(space string) string { return "/v1/spaces/" + url.PathEscape(space) + "/entities" }

// CheckOwned returns an error unless the account owns the space. It lists the entities of the
// space, which only the owner can do. Call it before a large file is sent.
func (c *Client) CheckOwned(ctx context.Context, space string) error {
	_, err := c.Send(ctx, http.MethodGet, c.Server+pathOfEntities(space)+"?limit=1", http.Header{}, nil)
	return err
}

// CallGraphQL executes a document and decodes its data into v, which may be nil. It retries when a
// rate limit refuses the operation.
//
// A rate limit of GraphQL is an error in a response of 200, so RetryWhenLimited does not see it. An
// error of the operation is a *RefusedError with 200, or with 500 if it is a fault of the server.
func (c *Client) CallGraphQL(ctx context.Context, document string, variables map[string]any, v any) error {
	return retry(ctx, namesNoWait, func() error {
		response := struct {
			Data   any
			Errors []struct {
				Message    string
				Extensions struct {
					Code              string
					RetryAfterSeconds int
				}
			}
		}{Data: v}
		if err := c.exchange(ctx, http.MethodPost, "/graphql", map[string]any{"query": document, "variables": variables}, &response); err != nil {
			return err
		}
		switch {
		case len(response.Errors) == 0:
			return nil
		case response.Errors[0].Extensions.Code == model.CodeInternal.GraphQLConstant():
			return &RefusedError{Status: http.StatusInternalServerError, Message: response.Errors[0].Message}
		case response.Errors[0].Extensions.RetryAfterSeconds > 0:
			return backoff.RetryAfter(response.Errors[0].Extensions.RetryAfterSeconds)
		}
		return &RefusedError{Status: http.StatusOK, Message: response.Errors[0].Message}
	})
}
