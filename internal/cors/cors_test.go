package cors_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"portico/internal/cors"
)

func TestHandler_hands_all_but_preflights_on(t *testing.T) {
	t.Parallel()
	policy := cors.Policy{Methods: "GET, PUT", Headers: "range, *", Exposed: "ETag"}
	answers := map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "ETag"}
	preflights := map[string]string{
		"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET, PUT",
		"Access-Control-Allow-Headers": "range, *", "Access-Control-Max-Age": "86400",
	}
	for _, row := range []struct {
		method  string
		status  int
		headers map[string]string
	}{
		{http.MethodGet, http.StatusTeapot, answers},
		{http.MethodPost, http.StatusTeapot, answers},
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
