package rest

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"portico/model"
)

func TestRequestID_is_new_for_each_request(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	handler := RequestID(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got, want := model.RequestID(r.Context()), w.Header().Get("X-Request-Id"); got != want {
			t.Errorf("id in the context: got %q, want %q", got, want)
		}
	}))
	for range 3 {
		request := httptest.NewRequest("GET", "/", nil)
		request.Header.Set("X-Request-Id", "forged") // none is trusted from outside
		got := httptest.NewRecorder()
		handler.ServeHTTP(got, request)
		seen[got.Header().Get("X-Request-Id")] = true
	}
	if len(seen) != 3 || seen["forged"] || seen[""] {
		t.Errorf("ids: got %v, want three of ours", seen)
	}
}

func TestRequestID_keeps_the_one_given_before(t *testing.T) {
	t.Parallel()
	request := httptest.NewRequest("GET", "/", nil)
	request = request.WithContext(model.WithRequestID(request.Context(), "outer"))
	got := httptest.NewRecorder()
	RequestID(http.NotFoundHandler()).ServeHTTP(got, request)
	if got, want := got.Header().Get("X-Request-Id"), "outer"; got != want {
		t.Errorf("X-Request-Id: got %q, want %q", got, want)
	}
}

func TestRequestID_is_on_refusals_too(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.call(account{}, "GET", "/v1/spaces", "").header.Get("X-Request-Id"); len(got) != 26 {
		t.Errorf("X-Request-Id: got %q, want 26 letters and digits", got)
	}
}
