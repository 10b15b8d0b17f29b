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

// A wrong offset, chunks without a byte and a byte at a time cost the server as much as a large piece.
func TestUpload_limits_requests_that_store_little(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(c *api.Client, address string) api.Response{
		"wrong_offset": func(c *api.Client, address string) api.Response {
			return patch(c, address, 0, bytes.NewReader(random(10)), 10)
		},
		"a_byte_at_a_time": func(c *api.Client, address string) api.Response {
			at := offset(c, address)
			return patch(c, address, at, bytes.NewReader(random(1)), 1)
		},
		"chunks_without_a_byte": func(c *api.Client, address string) api.Response {
			return patch(c, address, 1, io.MultiReader(), -1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const limit = 300
			w := world.Start(t, "--rate-limits=all=1000")
			c := newClient(t, w, "counted")
			address, other := create(c, "counted.bin", 1000), create(c, "other.bin", 20*(64<<10)+1)
			patch(c, address, 0, bytes.NewReader(random(1)), 1).Want(204, nil)
			for i := range 20 { // these do not count
				patch(c, other, i*(64<<10), bytes.NewReader(random(64<<10)), 64<<10).Want(204, nil)
			}
			patch(c, other, 20*(64<<10), bytes.NewReader(random(1)), 1).Want(204, nil) // nor does the last byte
			for range limit - 1 {
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

// Six accounts hold all places with requests of a byte. Another account gets a place at once, and
// the client whose place it was can continue its upload.
func TestUpload_of_a_slow_sender_gives_way(t *testing.T) {
	t.Parallel()
	w := world.Start(t, "--rate-limits=all=1000")
	answers := make(chan *http.Response, 48)
	for account := range 6 {
		slow := newClient(t, w, "slow"+strconv.Itoa(account))
		for i := range 8 {
			address := create(slow, "slow"+strconv.Itoa(i)+".bin", 100)
			body, sender := io.Pipe()
			t.Cleanup(func() { _ = sender.Close() }) // a pipe's never fails
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, address, body)
			check(t, err)
			r.Header = patchHeader(slow, 0)
			go func() {
				if answer, err := http.DefaultClient.Do(r); err == nil {
					_ = answer.Body.Close()
					answers <- answer
				}
			}()
			_, err = sender.Write([]byte("x"))
			check(t, err)
		}
	}
	client := newClient(t, w, "client")
	address := create(client, "quick.bin", 3)
	for i := range 3 {
		patch(client, address, i, bytes.NewReader(random(1)), 1).Want(204, nil)
	}
	if answer := <-answers; answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "" {
		t.Errorf("a slow sender: got %d, want 503 with the time to wait", answer.StatusCode)
	}
}
