package cors_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portico/internal/cors"
)

func TestHandler_passes_other_requests_on(t *testing.T) {
	t.Parallel()
	policy := cors.Policy{Methods: "GET, PUT", Headers: "range, *", Exposed: "ETag"}
	responses := map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "ETag"}
	preflights := map[string]string{
		"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET, PUT",
		"Access-Control-Allow-Headers": "range, *", "Access-Control-Max-Age": "86400",
	}
	for _, row := range []struct {
		method  string
		status  int
		headers map[string]string
	}{
		{http.MethodGet, http.StatusTeapot, responses},
		{http.MethodPost, http.StatusTeapot, responses},
		{http.MethodOptions, http.StatusNoContent, preflights},
	} {
		t.Run(row.method, func(t *testing.T) {
			t.Parallel()
			got := httptest.NewRecorder()
			teapot := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
			policy.Handler(teapot).ServeHTTP(got, httptest.NewRequest(row.method, "/token", http.NoBody))
			if got.Code != row.status {
				t.Errorf("status: got %d, want %d", got.Code, row.status)
			}
			for name, want := range row.headers {
				if got := got.Header().Get(name); got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
			if allowed := got.Header().Get("Access-Control-Allow-Credentials"); allowed != "" {
				t.Errorf("credentials: got %q, want none", allowed)
			}
		})
	}
}

func TestGraphQL_allows_the_headers_that_clients_request(t *testing.T) {
	t.Parallel()
	listed := cors.GraphQL().Headers
	long := strings.Repeat("x-a,", 600) + "x-b"
	for _, row := range []struct{ name, requested, want string }{
		{"of Apollo and of tracing", "apollo-require-preflight,Apollographql-Client-Name, traceparent",
			listed + ", apollo-require-preflight,apollographql-client-name, traceparent"},
		{"none", "", listed},
		{"an invalid name", "a\tb", listed},
		{"two lines", "a\r\nSet-Cookie: b", listed},
		{"too many", long, listed},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequest(http.MethodOptions, "/graphql", http.NoBody)
			request.Header.Set("Access-Control-Request-Headers", row.requested)
			got := httptest.NewRecorder()
			cors.GraphQL().Handler(http.NotFoundHandler()).ServeHTTP(got, request)
			if got := got.Header().Get("Access-Control-Allow-Headers"); got != row.want {
				t.Errorf("headers: got %q, want %q", got, row.want)
			}
			if got, want := got.Header().Get("Vary"), "Access-Control-Request-Headers"; got != want {
				t.Errorf("Vary: got %q, want %q", got, want)
			}
		})
	}
}

// REST and MCP respond with their list, whatever is requested.
func TestAPI_allows_listed_headers_only(t *testing.T) {
	t.Parallel()
	request := httptest.NewRequest(http.MethodOptions, "/v1/spaces", http.NoBody)
	request.Header.Set("Access-Control-Request-Headers", "x-other")
	got := httptest.NewRecorder()
	cors.API().Handler(http.NotFoundHandler()).ServeHTTP(got, request)
	if got, want := got.Header().Get("Access-Control-Allow-Headers"), cors.API().Headers; got != want {
		t.Errorf("headers: got %q, want %q", got, want)
	}
}
