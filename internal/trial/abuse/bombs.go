package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// bomb is a request that costs the server far more than the client.
type bomb struct {
	what   string
	method string
	path   string
	// header is added to the headers of every request, and replaces headers of the same name.
	header map[string]string
	body   []byte
	// want are the documented statuses of its refusal.
	want []int
	// wantMessage is a part of the response, "" where no text is documented.
	wantMessage string
}

// maxBusy is how long the server may work on one bomb, on a machine that has other work
// too.
const maxBusy = 5 * time.Second

// parallelBombs is how many bombs are sent at a time.
const parallelBombs = 8

// attackWithBombs sends each bomb many times, several at a time.
func attackWithBombs(ctx context.Context, s *site) error {
	c, space, err := s.attackerWithSpace(ctx, "Private")
	if err != nil {
		return err
	}
	upload, err := c.promise(ctx, "bomb.ply", 10)
	if err != nil {
		return err
	}
	bombs := append(append(bodyBombs(space), graphBombs()...), uploadBombs(upload)...)
	thrown := slices.Repeat(bombs, s.scale.repeats)
	slowest, err := runInParallel(parallelBombs, thrown, func(b bomb) error { return c.sendBomb(ctx, b) })
	s.report.add("kinds of bombs", float64(len(bombs)), "", 0)
	s.report.add("bombs", float64(len(thrown)), "", 0)
	s.report.add("slowest refusal", milliseconds(slowest), "ms", milliseconds(maxBusy))
	return err
}

// sendBomb sends a bomb and checks that it is refused as documented.
func (c *client) sendBomb(ctx context.Context, b bomb) error {
	r, err := c.request(ctx, b.method, b.path, b.body)
	if err != nil {
		return err
	}
	for name, value := range b.header {
		r.Header.Set(name, value)
	}
	status, response, err := c.do(r)
	if err != nil {
		return fmt.Errorf("%s: %w", b.what, err)
	}
	for _, want := range b.want {
		if status == want && strings.Contains(string(response), b.wantMessage) {
			return nil
		}
	}
	return fmt.Errorf("%s: status %d, want one of %v with %q: %.300s", b.what, status, b.want, b.wantMessage, response)
}

const (
	form      = "application/x-www-form-urlencoded"
	jsonDepth = 100_000 // levels of JSON
	tooLarge  = http.StatusRequestEntityTooLarge
)

// bodyBombs returns bombs for all doors that read bodies, each with a limit of its own.
func bodyBombs(space string) []bomb {
	nested := func(before, after string) []byte {
		return []byte(before + strings.Repeat("[", jsonDepth) + strings.Repeat("]", jsonDepth) + after)
	}
	bad := []int{http.StatusBadRequest}
	rest, graph, mcp := "/v1/spaces/"+space+"/entities", "/graphql", "/v1/mcp"
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_spaces","arguments":`
	gzipped := map[string]string{"Content-Encoding": "gzip"}
	return []bomb{
		{"headers over 64 KiB", "GET", "/v1/spaces", map[string]string{"X-Long": strings.Repeat("x", 100<<10)}, nil, []int{http.StatusRequestHeaderFieldsTooLarge}, ""},
		{"an address over 64 KiB", "GET", "/v1/spaces?cursor=" + strings.Repeat("x", 100<<10), nil, nil, []int{http.StatusRequestHeaderFieldsTooLarge}, ""},
		{"a REST body over 1 MiB", "POST", rest, nil, blanks(2 << 20), []int{tooLarge}, "maximum"},
		{"a GraphQL body over 1 MiB", "POST", graph, nil, blanks(2 << 20), []int{tooLarge}, "larger than"},
		{"an MCP body over 8 MiB", "POST", mcp, nil, blanks(9 << 20), []int{tooLarge}, "maximum"},
		{"a registration over 64 KiB", "POST", "/register", nil, blanks(1 << 20), []int{http.StatusBadRequest, tooLarge}, "error"},
		{"a token form over 64 KiB", "POST", "/token", map[string]string{"Content-Type": form}, blanks(1 << 20), []int{http.StatusBadRequest, tooLarge}, "error"},
		{"a revocation over 64 KiB", "POST", "/revoke", map[string]string{"Content-Type": form}, blanks(1 << 20), []int{http.StatusBadRequest, tooLarge}, "error"},
		{"a sign-in form over 64 KiB", "POST", "/login", map[string]string{"Content-Type": form}, blanks(1 << 20), []int{http.StatusBadRequest, tooLarge}, ""},
		{"JSON nested deep, REST", "POST", rest, nil, nested(`{"entity_data":{"a":`, `}}`), bad, "JSON"},
		{"JSON nested deep, REST, an unknown field", "POST", rest, nil, nested(`{"x":`, `}`), bad, "JSON"},
		{"JSON nested deep, GraphQL", "POST", graph, nil, nested(`{"query":"{viewer{id}}","variables":{"a":`, `}}`), bad, "errors"},
		{"JSON nested deep, MCP", "POST", mcp, nil, nested(call+`{"a":`, `}}}`), bad, "error"},
		{"JSON nested deep, registration", "POST", "/register", nil, nested(`{"redirect_uris":`, `}`), []int{tooLarge}, "error"},
		{"a gzip bomb, REST", "POST", rest, gzipped, zeros(), []int{http.StatusBadRequest, http.StatusUnsupportedMediaType}, ""},
		{"a gzip bomb, GraphQL", "POST", graph, gzipped, zeros(), []int{http.StatusBadRequest, http.StatusUnsupportedMediaType}, ""},
		{"a gzip bomb, MCP", "POST", mcp, gzipped, zeros(), []int{http.StatusBadRequest, http.StatusUnsupportedMediaType}, ""},
	}
}

// uploadBombs returns bombs for an address where 10 bytes are announced.
func uploadBombs(address string) []bomb {
	binary := map[string]string{"Content-Type": mediaType}
	return []bomb{
		{"an upload larger than promised", "PUT", address, binary, blanks(4 << 20), []int{http.StatusForbidden}, ""},
		{"an upload without a signature", "PUT", strings.Split(address, "?")[0], binary, blanks(4 << 20), []int{http.StatusForbidden}, ""},
	}
}

// blanks returns a body of blanks, which is neither JSON nor a form.
func blanks(size int) []byte { return bytes.Repeat([]byte(" "), size) }

// zeros returns a small body that unpacks to 64 MiB.
func zeros() []byte { return gzipOf(make([]byte, 64<<20)) }

// gzipOf returns the text compressed with gzip.
func gzipOf(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(content) // to memory: never fails
	_ = w.Close()
	return b.Bytes()
}
