package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"portico/internal/testkit/world"
)

// TestMalformed_requests_are_answered_in_JSON has a row for each refusal that
// net/http gives before any handler.
func TestMalformed_requests_are_answered_in_JSON(t *testing.T) {
	t.Parallel()
	p := world.Start(t)
	for _, row := range []struct {
		name, request string
		status        int
		message       string
	}{
		{"path", "GET /v1/%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "The request is not well-formed HTTP"},
		{"no host", "GET /v1/spaces HTTP/1.1\r\n\r\n", 400, "The request is not well-formed HTTP"},
		{"header", "GET /v1/spaces HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n", 400, "The request is not well-formed HTTP"},
		{"long header", "GET / HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("a", 100<<10) + "\r\n\r\n", 431, "Request Header Fields Too Large"},
		{"encoding", "POST /v1/spaces HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501, "Not Implemented"},
		// A response of a handler, for comparison.
		{"none", "GET /v1/spaces HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 401, "Invalid or expired API key"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", strings.TrimPrefix(p.BaseURL(), "http://"))
			check(t, err)
			defer func() { _ = conn.Close() }() // read to its end
			_, err = io.WriteString(conn, row.request)
			check(t, err)
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			check(t, err)
			defer func() { _ = response.Body.Close() }() // as above
			var got struct{ Status, Message string }
			check(t, json.NewDecoder(response.Body).Decode(&got))
			if response.StatusCode != row.status || got.Status != "error" || got.Message != row.message {
				t.Errorf("response: got %d %+v, want %d %q", response.StatusCode, got, row.status, row.message)
			}
			if got := response.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
				t.Errorf("Content-Type: got %q, want JSON", got)
			}
		})
	}
}
