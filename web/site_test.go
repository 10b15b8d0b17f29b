package web

import (
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
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

func TestCleanPath_removes_empty_segments_only(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"": "", "/": "", "/a": "/a", "//a///b/": "/a/b", "a": "/a", "/a/../b": "/a/../b"} {
		if got := CleanPath(path); got != want {
			t.Errorf("CleanPath(%q): got %q, want %q", path, got, want)
		}
	}
}

// Anyone may send a path of as many segments as the headers may have bytes. Appending each segment to
// a string copied the whole path for each, a gigabyte in all.
func TestCleanPath_copies_a_long_path_once(t *testing.T) {
	t.Parallel()
	path := strings.Repeat("/a", 30_000) + "//"
	least := uint64(math.MaxUint64) // of several, because other tests allocate at the same time
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		CleanPath(path)
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	if want := uint64(10 << 20); least > want {
		t.Errorf("allocated: got %d bytes, want at most %d", least, want)
	}
}
