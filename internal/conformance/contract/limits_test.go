package contract

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestGolden_limits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{limited: true})
	const body = `{'file_name':'chair.glb','file_size':4,'content_type':'model/gltf-binary'}`
	for range 20 {
		w.send(t, w.call(w.alice, "POST", "/v1/files/upload", body))
	}
	w.later.Store(int64(18 * time.Second))
	w.golden("upload", 429, "The twenty-first upload, 18 seconds after the first.", w.call(w.alice, "POST", "/v1/files/upload", body))
	w.golden("other-scope", 404, "Another scope has a limit of its own.", w.call(w.alice, "GET", "/v1/jobs/none", ""))
	w.golden("other-key", 200, "Another key has limits of its own.", w.call(w.bob, "POST", "/v1/files/upload", body))
	w.later.Store(int64(60 * time.Second))
	w.golden("next-window", 200, "The window has ended after a minute.", w.call(w.alice, "POST", "/v1/files/upload", body))
	nobody := account{}
	for range 300 {
		w.send(t, w.call(nobody, "GET", "/v1/spaces", ""))
	}
	w.golden("no-key", 429, "Requests without a key count by address.", w.call(nobody, "GET", "/v1/spaces", ""))
}

func TestLimits_leave_preflights_and_files_free(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{limited: true})
	signed := w.promise(w.alice, "chair.glb", "model/gltf-binary", 4)
	for range 300 {
		w.send(t, w.call(w.alice, "GET", "/v1/jobs", ""))
		w.send(t, w.call(account{}, "GET", "/v1/jobs", ""))
	}
	if got := w.send(t, w.call(w.alice, "GET", "/v1/jobs", "")).status; got != http.StatusTooManyRequests {
		t.Errorf("over the limit of all: got %d, want 429", got)
	}
	put := w.request("PUT", signed, "glTF")
	put.Header.Set("Content-Type", "model/gltf-binary")
	address, _, _ := strings.Cut(signed, "?")
	for name, request := range map[string]*http.Request{
		"preflight":     w.request("OPTIONS", w.base+"/v1/spaces", ""),
		"presigned PUT": put,
		"public file":   w.request("HEAD", address, ""),
	} {
		if got := w.send(t, request).status; got == http.StatusTooManyRequests {
			t.Errorf("%s: got %d, want no limit", name, got)
		}
	}
}
