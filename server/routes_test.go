package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// The door in the log and the door that responds must be the same.
func TestRoutes_ignore_empty_segments(t *testing.T) {
	t.Parallel()
	got := ""
	handler := func(name string) http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got = name })
	}
	h := routes{
		pages: map[string]http.Handler{"v1/mcp": handler("MCP")}, trees: map[string]http.Handler{"v1": handler("REST"), "api": handler("REST"), "api/supersplat": handler("SuperSplat")}, other: handler("page"),
	}
	for path, want := range map[string]string{
		"/v1/mcp": "MCP", "/v1//mcp": "MCP", "//v1/mcp//": "MCP", "//v1//spaces/": "REST", "/v1": "REST", "/": "page", "//": "page", "/v2/mcp": "page",
		"/api/v1/spaces": "REST", "/api/supersplat/v1/me": "SuperSplat", "/api//supersplat//v1": "SuperSplat", "/api/supersplats": "REST", "/api": "REST",
		"/v1%2Fmcp": "MCP", "/%2Fv1/spaces": "REST",
	} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "http://localhost"+path, nil))
		if got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
