package transfer

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"portico/client"
	"portico/model"
)

// Five minutes of the same request would not make the response another one.
func TestImport_does_not_repeat_a_pull_whose_content_is_wrong(t *testing.T) {
	t.Parallel()
	for name, response := range map[string]string{
		"no zip":        "<html>Sign in</html>",
		"no manifest":   zipOf(t, map[string]string{"other.json": "{}"}),
		"another space": zipOf(t, map[string]string{model.ManifestFile: `{"spaceId": "12345678_b"}`}),
		"another file":  zipOf(t, map[string]string{model.ManifestFile: `{"spaceId": "12345678_a", "assets": [{"file": "../evil"}]}`}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if requests.Add(1) > 1 {
					cancel()
				}
				_, _ = io.WriteString(w, response)
			}))
			t.Cleanup(server.Close)
			i := &importer{remote: &client.Client{Server: server.URL}}
			if _, err := i.pull(ctx, "12345678_a"); err == nil || requests.Load() != 1 {
				t.Errorf("got %v after %d requests, want an error after one", err, requests.Load())
			}
		})
	}
}
