package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestNew_refuses_a_base_that_is_not_an_address(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "portico.example", "/x", "http://", ":"} {
		if _, err := New(Options{BaseURL: base}); err == nil {
			t.Errorf("New with base %q: got no error, want one", base)
		}
	}
}

func TestHandler_passes_on_requests_for_other_paths(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	next := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "next") })
	handler := w.site.Handler(next)
	for path, want := range map[string]bool{
		"/": true, "/v1/jobs": true, "/loginx": true, "/pages": true, "/account/key/x": true,
		"/login": false, "/account//": false, "/pages/style.css": false,
	} {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
		if got := recorder.Body.String() == "next"; got != want {
			t.Errorf("%s handed on: got %v, want %v", path, got, want)
		}
		if got := recorder.Header().Get("Content-Security-Policy"); want && got != "" {
			t.Errorf("%s: got the pages' headers, want the headers of next only", path)
		}
	}
}

func TestSite_counts_no_sign_ins_if_unlimited(t *testing.T) {
	t.Parallel()
	site, err := New(Options{BaseURL: "http://localhost", Unlimited: true})
	check(t, err)
	for range 1000 {
		if wait := site.countSignIn("ada@example.com", "192.0.2.1"); wait != 0 {
			t.Fatalf("wait: got %v, want none", wait)
		}
	}
}
