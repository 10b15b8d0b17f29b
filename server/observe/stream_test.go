package observe

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestIsStream_distinguishes_subscriptions_from_requests_that_accept_events(t *testing.T) {
	t.Parallel()
	// urql, the client of the console, sends this with every query and every mutation.
	const urql = "application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed"
	for _, test := range []struct {
		name, method, path string
		header             http.Header
		want               bool
	}{
		{"a query of urql", "POST", "/graphql", http.Header{"Accept": {urql}}, false},
		{"a query that may be answered with events", "POST", "/graphql", http.Header{"Accept": {"application/json, text/event-stream"}}, false},
		{"a query without Accept", "POST", "/graphql", http.Header{}, false},
		{"a subscription", "POST", "/graphql", http.Header{"Accept": {"text/event-stream"}}, true},
		{"a subscription of urql", "POST", "//graphql/", http.Header{"Accept": {"text/event-stream, multipart/mixed"}}, true},
		{"a subscription of an EventSource", "GET", "/graphql", http.Header{"Accept": {"text/event-stream"}}, true},
		{"a WebSocket", "GET", "/graphql", http.Header{"Upgrade": {"websocket"}}, true},
		{"another protocol", "POST", "/graphql", http.Header{"Upgrade": {"h2c"}}, false},
		{"a call of MCP", "POST", "/v1/mcp", http.Header{"Accept": {"application/json, text/event-stream"}}, false},
		{"a page", "GET", "/login", http.Header{"Accept": {"text/event-stream"}}, false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), test.method, test.path, nil)
		r.Header = test.header
		if got := IsStream(r); got != test.want {
			t.Errorf("%s: got %t, want %t", test.name, got, test.want)
		}
	}
}
