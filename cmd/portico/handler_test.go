package main

import (
	"net/http"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
)

func TestPaths_outside_the_API_have_their_status_and_type(t *testing.T) {
	t.Parallel()
	p := world.Start(t)
	for _, test := range []struct {
		method, path string
		status       int
		contentType  string
	}{
		{"GET", "/livez", 200, "text/plain"},
		{"GET", "/readyz", 200, "text/plain"},
		{"HEAD", "/readyz/", 200, "text/plain"},
		{"GET", "//livez", 200, "text/plain"},
		{"GET", "/livez/x", 404, "text/plain"},
		{"GET", "/openapi.json", 200, "application/json"},
		{"GET", "/openapi.yaml", 200, "application/yaml"},
		{"GET", "/schema.graphql", 200, "application/graphql"},
		{"POST", "/schema.graphql", 405, "application/json"},
		{"GET", "/", 200, "text/html"},
		{"GET", "/nothing", 404, "text/plain"},
		{"GET", "/metrics", 200, "text/plain"},
		{"GET", "/metrics?a", 200, "text/plain"},
		{"GET", "/metrics/", 404, "text/plain"},
		{"GET", "//metrics", 404, "text/plain"},
		{"GET", "/metrics%2f", 404, "text/plain"},
		{"GET", "/%6detrics", 404, "text/plain"},
		{"GET", "/graphql/x", 404, "text/plain"},
		{"GET", "/graphql?query={__typename}", 200, "application/"},
		{"GET", "//graphql/?query={__typename}", 200, "application/"},
		{"GET", "/playground", 200, "text/html"},
		{"HEAD", "//playground/", 200, "text/html"},
		{"POST", "/playground", 405, "text/plain"},
		{"GET", "/playground/x", 404, "text/plain"},
		{"GET", "/v1/user/me", 401, "application/json"},
		{"POST", "//api//v1//files//upload/", 401, "application/json"},
		{"GET", "/v1", 401, "application/json"},
		{"GET", "/v1x", 404, "text/plain"},
		{"GET", "/files/unknown", 404, "application/json"},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			t.Parallel()
			c := api.Client{T: t, URL: p.BaseURL()}
			got := c.Send(test.method, c.URL+test.path, http.Header{"Accept": {"*/*"}}, http.NoBody, 0)
			if got.Status != test.status || !strings.HasPrefix(got.Header.Get("Content-Type"), test.contentType) {
				t.Errorf("got %d %s, want %d %s", got.Status, got.Header.Get("Content-Type"), test.status, test.contentType)
			}
			if got.Header.Get("X-Request-Id") == "" {
				t.Error("X-Request-Id: got none")
			}
		})
	}
}
