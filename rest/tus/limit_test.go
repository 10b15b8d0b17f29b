package tus_test

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
)

// TestUpload_counts_requests_without_bytes sends as many requests as the limit allows, after one
// that created the upload. A piece with bytes is accepted even then.
func TestUpload_counts_requests_without_bytes(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"HEAD", "PATCH", "DELETE"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			const limit = 20
			c := newClient(t, world.Start(t, "--rate-limits=all="+strconv.Itoa(limit)), "counted")
			address := create(c, "counted.bin", 100)
			target := address
			if method == "DELETE" { // of another upload, so that this one can receive the piece
				target = address[:strings.LastIndexByte(address, '/')+1] + "unknown"
			}
			var last api.Response
			for range limit {
				last = c.Send(method, target, patchHeader(c, 0), http.NoBody, 0)
			}
			if last.Status != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" {
				t.Errorf("the last of %d requests: got %d, want 429 with Retry-After", limit, last.Status)
			}
			if got := patch(c, address, 0, bytes.NewReader(random(100)), 100); got.Status != http.StatusNoContent {
				t.Errorf("a piece: got %d, want 204", got.Status)
			}
		})
	}
}

// A wrong offset, and chunks without a byte, cost the server as much as a piece.
func TestUpload_limits_requests_of_which_no_byte_is_stored(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(c *api.Client, address string) api.Response{
		"wrong_offset": func(c *api.Client, address string) api.Response {
			return patch(c, address, 0, bytes.NewReader(random(10)), 10)
		},
		"chunks_without_a_byte": func(c *api.Client, address string) api.Response {
			return patch(c, address, 1, io.MultiReader(), -1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const limit = 100
			w := world.Start(t, "--rate-limits=all=1000")
			c := newClient(t, w, "counted")
			address, other := create(c, "counted.bin", 100), create(c, "other.bin", limit+1)
			patch(c, address, 0, bytes.NewReader(random(1)), 1).Want(204, nil)
			for i := range limit + 1 { // these do not count
				patch(c, other, i, bytes.NewReader(random(1)), 1).Want(204, nil)
			}
			for range limit {
				if got := send(c, address); got.Status == http.StatusTooManyRequests {
					t.Fatal("got 429, want no limit yet")
				}
			}
			if got := send(c, address); got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
				t.Errorf("one more: got %d, want 429 with Retry-After", got.Status)
			}
			neighbour := newClient(t, w, "neighbour")
			patch(neighbour, create(neighbour, "more.bin", 1), 0, bytes.NewReader(random(1)), 1).Want(204, nil)
		})
	}
}
