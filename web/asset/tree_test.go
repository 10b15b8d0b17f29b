package asset_test

import (
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"portico/web/asset"
)

func TestTree_gives_workers_a_policy_of_their_own(t *testing.T) {
	t.Parallel()
	content := &fstest.MapFile{Data: []byte("0")}
	handlers, err := asset.Tree(fstest.MapFS{
		"space/assets/draco.worker-a1.js": content, "space/assets/main-b2.js": content, "space/assets/draco-c3.wasm": content,
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"space/assets/draco.worker-a1.js": "default-src 'none'; script-src 'wasm-unsafe-eval'",
		"space/assets/main-b2.js":         "",
		"space/assets/draco-c3.wasm":      "",
	} {
		response := httptest.NewRecorder()
		handlers[name].ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), "GET", "/"+name, nil))
		if got := response.Header().Get("Content-Security-Policy"); got != want {
			t.Errorf("%s: got policy %q, want %q", name, got, want)
		}
		header := response.Header()
		if header.Get("Access-Control-Allow-Origin") != "*" || header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
			t.Errorf("%s: got %v, want any page to load it", name, header)
		}
		if got := header.Get("Cross-Origin-Embedder-Policy"); (got == "require-corp") != (want != "") {
			t.Errorf("%s: got embedder policy %q, want one for workers", name, got)
		}
	}
}
