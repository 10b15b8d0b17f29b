package tus_test

import (
	"bytes"
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
