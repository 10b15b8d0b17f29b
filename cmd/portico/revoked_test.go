package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"testing"

	"portico/internal/testkit/world"
)

// A thief sends the headers of a request, and its body only after the owner has revoked the key.
func TestRevokedKey_stops_a_request_whose_body_comes_later(t *testing.T) {
	t.Parallel()
	p := world.Start(t)
	document := func(text string) string {
		body, err := json.Marshal(map[string]string{"query": text})
		check(t, err)
		return string(body)
	}
	const tool = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_space","arguments":{"title":"stolen"}}}`
	padding := strings.Repeat(" ", 100_000) // makes a body long that says the same
	number := 0
	for name, row := range map[string]struct {
		path, body string
		chunked    bool
	}{
		"REST":                 {"/v1/spaces", `{"title":"stolen"}`, false},
		"REST, long":           {"/v1/spaces", `{"title":"stolen"}` + padding, false},
		"REST, chunked":        {"/v1/spaces", `{"title":"stolen"}`, true},
		"GraphQL":              {"/graphql", document(`mutation { createSpace(input: {title: "stolen"}) { space { id } } }`), false},
		"GraphQL, chunked":     {"/graphql", document(`mutation { createSpace(input: {title: "stolen"}) { space { id } } }`), true},
		"GraphQL, for a key":   {"/graphql", document(`mutation { generateApiKey { apiKey } }`), false},
		"GraphQL, another end": {"/graphql", document(`mutation { revokeApiKey { revoked } }`), true},
		"MCP":                  {"/v1/mcp", tool, false},
		"MCP, long":            {"/v1/mcp", tool + padding, false},
		"MCP, chunked":         {"/api/v1/mcp", tool, true},
	} {
		number++
		c := newCaller(t, p, fmt.Sprintf("owner%d@example.com", number))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			thief := c.startBody(t, row.path, len(row.body), row.chunked)
			user, err := p.DB.Accounts().User(t.Context(), c.ID)
			check(t, err)
			check(t, p.Keys.Revoke(t.Context(), user))
			renewed, err := p.Keys.Generate(t.Context(), user)
			check(t, err)
			response := thief.finish(t, row.body)
			if got, want := response.StatusCode, http.StatusUnauthorized; got != want || response.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("response: got %d with %v, want %d with WWW-Authenticate", got, response.Header, want)
			}
			shown, err := p.Keys.Show(t.Context(), c.ID)
			if err != nil || shown != renewed {
				t.Errorf("the owner's key: got another (%v), want it untouched", err)
			}
			c.Key = renewed
			var page struct{ Spaces []json.RawMessage }
			c.Call("GET", "/v1/spaces", nil).Want(http.StatusOK, &page)
			if len(page.Spaces) != 0 {
				t.Errorf("spaces: got %d, want none", len(page.Spaces))
			}
		})
	}
}

// slowRequest is a request whose headers the server has read, and whose body it
// waits for.
type slowRequest struct {
	conn      net.Conn
	responses *bufio.Reader
	chunked   bool
}

func (c *user) startBody(t *testing.T, path string, size int, chunked bool) slowRequest {
	t.Helper()
	host := strings.TrimPrefix(c.URL, "http://")
	conn, err := net.Dial("tcp", host)
	check(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	length := fmt.Sprintf("Content-Length: %d", size)
	if chunked {
		length = "Transfer-Encoding: chunked"
	}
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nExpect: 100-continue\r\nConnection: close\r\n%s\r\n\r\n", path, host, c.Key, length)
	check(t, err)
	responses := bufio.NewReader(conn)
	line, err := responses.ReadString('\n') // comes when the server reads the body
	check(t, err)
	if !strings.HasPrefix(line, "HTTP/1.1 100") {
		t.Fatalf("response to the headers: got %q, want 100", line)
	}
	_, err = responses.ReadString('\n')
	check(t, err)
	return slowRequest{conn, responses, chunked}
}

// finish sends the body and returns the response.
func (s slowRequest) finish(t *testing.T, body string) *http.Response {
	t.Helper()
	var w io.WriteCloser = s.conn
	if s.chunked {
		w = httputil.NewChunkedWriter(s.conn)
	}
	_, err := io.WriteString(w, body)
	check(t, err)
	if s.chunked {
		check(t, w.Close())
		_, err := io.WriteString(s.conn, "\r\n")
		check(t, err)
	}
	response, err := http.ReadResponse(s.responses, nil)
	check(t, err)
	check(t, response.Body.Close())
	return response
}
