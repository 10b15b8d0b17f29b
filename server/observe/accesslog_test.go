package observe

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"portico/model"
)

func TestDoorOf_ignores_the_prefix_and_doubled_slashes(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/": model.DoorPages, "": model.DoorPages, "/login": model.DoorPages, "/account/key": model.DoorPages,
		"/v1/spaces": model.DoorREST, "/api/v1/spaces": model.DoorREST, "//api//v1//spaces/": model.DoorREST,
		"/v1/mcp": model.DoorMCP, "/api/v1/mcp/": model.DoorMCP, "/graphql": model.DoorGraphQL,
		"/token": model.DoorOAuth, "/api/authorize": model.DoorOAuth,
	} {
		if got := doorOf(path); got != want {
			t.Errorf("door of %q: got %q, want %q", path, got, want)
		}
	}
}

// A client that hangs up counts as one that has gone, at every door; a failure of the
// server counts as one.
func TestRequests_of_clients_that_hang_up_count_as_499(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&lines, nil))
	counted := NewMetrics("", nil, logger, nil)
	arrived, done := make(chan struct{}), make(chan struct{})
	blocked := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/broken" {
			_, _ = io.Copy(io.Discard, r.Body) // the server notices the end of the connection then
			arrived <- struct{}{}
			<-r.Context().Done()
		}
		w.WriteHeader(http.StatusInternalServerError)
	})
	inner := LogRequests(logger, counted.CountRequests(blocked))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(w, r)
		done <- struct{}{}
	}))
	t.Cleanup(server.Close)
	for _, path := range []string{"/v1/files", "/graphql", "/v1/mcp"} {
		ctx, hangUp := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, "POST", server.URL+path, bytes.NewReader([]byte("{}")))
		check(t, err)
		go func() { <-arrived; hangUp() }()
		if response, err := server.Client().Do(r); err == nil {
			t.Errorf("%s: got %d, want the client to have left", path, response.StatusCode)
			check(t, response.Body.Close())
		}
		<-done
	}
	go func() { <-done }()
	response, err := server.Client().Get(server.URL + "/v1/broken")
	check(t, err)
	check(t, response.Body.Close())
	sent := requestsOf(t, counted)
	for route, code := range map[string]string{"/v1/*": "499", "/graphql": "499", "/v1/mcp": "499"} {
		want := `portico_http_requests_total{code="` + code + `",method="POST",route="` + route + `"} 1`
		if !bytes.Contains(sent, []byte(want)) {
			t.Errorf("metrics: got %s, want %s", sent, want)
		}
	}
	if want := `portico_http_requests_total{code="500",method="GET",route="/v1/*"} 1`; !bytes.Contains(sent, []byte(want)) {
		t.Errorf("metrics: got %s, want %s", sent, want)
	}
	if got := bytes.Count(lines.Bytes(), []byte("status=499")); got != 3 {
		t.Errorf("log: got %d lines with status 499, want 3:\n%s", got, lines.String())
	}
}

// requestsOf returns the counted requests as Prometheus reads them.
func requestsOf(t testing.TB, m *Metrics) []byte {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	return w.Body.Bytes()
}
