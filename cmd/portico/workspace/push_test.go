package workspace

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"portico/client"
	"portico/internal/testkit/pipe"
)

// A fault of the server may concern only one file.
func TestPush_that_fails_deletes_all_uploads_that_the_server_can_delete(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var deletions []string
		r := &client.Client{Server: "http://server", Key: "k", Transport: pipe.Transport(t, func(w http.ResponseWriter, r *http.Request) {
			key := r.URL.Query().Get("resource_key")
			if key == "broken.bin" {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			deletions = append(deletions, key)
			_, _ = io.WriteString(w, "{}") // the client reads all of it
		})}
		b := &changeSetBuilder{folder: &workspace{remote: r}, uploaded: []string{"hall.bin", "broken.bin", "mill.bin"}}
		err := b.discard(t.Context())
		if want := []string{"hall.bin", "mill.bin"}; !slices.Equal(deletions, want) {
			t.Errorf("deletions: got %q, want %q", deletions, want)
		}
		if err == nil {
			t.Fatal("got no error, want one that names what remains")
		}
		wantContains(t, "discard", err.Error(), "delete the uploaded file broken.bin")
		if text := err.Error(); strings.Contains(text, "hall.bin") || strings.Contains(text, "mill.bin") {
			t.Errorf("discard: got %s, want only what remains", text)
		}
	})
}
