package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// client calls the REST API with a key. It is safe for concurrent use, except for a change of its
// key.
type client struct {
	server    *server
	key       string
	transport *http.Transport
	http      *http.Client
}

// newClient returns a client whose address the system chooses.
func newClient(s *server, key string) *client { return newClientFrom(s, key, "") }

// newClientFrom returns a client that connects from an address of this machine, such as
// 127.0.0.2. With "" the system chooses the address.
func newClientFrom(s *server, key, address string) *client {
	dialer := net.Dialer{}
	if address != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(address)}
	}
	// The default of net/http keeps two idle connections: a client with more requests at a
	// time would connect again and again, and the attack would be on the listener.
	transport := &http.Transport{MaxIdleConnsPerHost: 64, DialContext: dialer.DialContext}
	return &client{s, key, transport, &http.Client{Transport: transport, Timeout: 2 * time.Minute}}
}

// close closes the connections that no request uses.
func (c *client) close() { c.transport.CloseIdleConnections() }

// request returns a request with the key. A body is JSON.
func (c *client) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	if strings.HasPrefix(path, "/") { // not the address of a file, which has its own origin
		path = c.server.url(path)
	}
	r, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", "application/json")
	return r, nil
}

// do sends a request and returns its status and response.
func (c *client) do(r *http.Request) (int, []byte, error) {
	response, err := c.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	// Read whole in every case, so that the connection serves the next request.
	defer response.Body.Close() //nolint:errcheck // read to its end
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

// call calls an endpoint that must succeed, and decodes the data of its response.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	r, err := c.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	status, response, err := c.do(r)
	if err != nil {
		return err
	}
	// A refusal is an error with its status: many attacks expect one.
	if status >= http.StatusMultipleChoices {
		return &statusError{method, path, status, response}
	}
	return json.Unmarshal(response, &struct {
		Data any `json:"data"`
	}{out})
}

// statusError is the error for a response that refuses a request.
type statusError struct {
	method, path string
	status       int
	response     []byte
}

// Error implements error.
func (e *statusError) Error() string {
	return fmt.Sprintf("%s %s: status %d: %.200s", e.method, e.path, e.status, e.response)
}

// refusedWith reports whether err is the refusal of a request with this status.
func refusedWith(err error, status int) bool {
	refusal, ok := errors.AsType[*statusError](err)
	return ok && refusal.status == status
}

func (c *client) createSpace(ctx context.Context, privacy string) (string, error) {
	var space struct{ SpaceID string }
	err := c.call(ctx, http.MethodPost, "/v1/spaces", map[string]any{"title": "abuse", "privacy": privacy}, &space)
	return space.SpaceID, err
}

// entity returns the path of the entity that is written over and over.
func entity(space string) string { return "/v1/spaces/" + space + "/entities/thing" }

func (c *client) putEntity(ctx context.Context, space string, revision int, padding string) error {
	path := strings.TrimSuffix(entity(space), "/thing")
	return c.call(ctx, http.MethodPost, path, map[string]any{
		"entity_id": "thing", "entity_data": map[string]any{"revision": revision, "padding": padding},
	}, &struct{}{})
}

func (c *client) revision(ctx context.Context, space string) (int, error) {
	var got struct {
		Data struct{ Revision int } `json:"entity_data"`
	}
	err := c.call(ctx, http.MethodGet, entity(space), nil, &got)
	return got.Data.Revision, err
}

// listSpaces lists a page of the caller's spaces.
func (c *client) listSpaces(ctx context.Context) error {
	var page struct{ Spaces []json.RawMessage }
	err := c.call(ctx, http.MethodGet, "/v1/spaces?limit=10", nil, &page)
	if err == nil && len(page.Spaces) == 0 {
		return errors.New("the list of spaces is empty")
	}
	return err
}
