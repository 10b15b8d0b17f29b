package rest

import (
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

func TestStripEmptySegments_keeps_the_segments_and_nothing_else(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sent, path, raw string }{
		{"/v1/spaces", "/v1/spaces", "/v1/spaces"},
		{"/v1/spaces/", "/v1/spaces", "/v1/spaces"},
		{"//v1///spaces//a//", "/v1/spaces/a", "/v1/spaces/a"},
		{"/", "/", "/"},
		{"//", "/", "/"},
		{"/v1/a%2Fb", "/v1/a/b", "/v1/a%2Fb"},
		{"/v1/a%2fb/", "/v1/a/b", "/v1/a%2Fb"},
		{"/v1/%2F/", "/v1//", "/v1/%2F"},
		{"/v1/%73paces", "/v1/spaces", "/v1/spaces"},
		{"/v1/a%252Fb", "/v1/a%2Fb", "/v1/a%252Fb"},
		{"/v1/a%20b", "/v1/a b", "/v1/a%20b"},
		{"/v1/%C3%A9", "/v1/é", "/v1/%C3%A9"},
		{"/v1/%FF%00", "/v1/\xff\x00", "/v1/%FF%00"},
		{"/v1/spaces/../jobs", "/v1/spaces/../jobs", "/v1/spaces/../jobs"},
	} {
		t.Run(c.sent, func(t *testing.T) {
			t.Parallel()
			StripEmptySegments(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if got, want := r.URL.Path, c.path; got != want {
					t.Errorf("Path: got %q, want %q", got, want)
				}
				if got, want := r.URL.EscapedPath(), c.raw; got != want {
					t.Errorf("EscapedPath: got %q, want %q", got, want)
				}
			})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", c.sent, nil))
		})
	}
}

// Anyone may send a path of as many segments as the headers may have bytes. Appending each segment to
// a string copied the whole path for each, a gigabyte in all.
func TestStripEmptySegments_copies_a_long_path_once(t *testing.T) {
	t.Parallel()
	path := strings.Repeat("/a", 30_000) + "//"
	least := uint64(math.MaxUint64) // of several, because other tests allocate at the same time
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		stripEmptySegments(path)
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	if want := uint64(10 << 20); least > want {
		t.Errorf("allocated: got %d bytes, want at most %d", least, want)
	}
}

func TestStripEmptySegments_leaves_the_request_of_others_alone(t *testing.T) {
	t.Parallel()
	request := httptest.NewRequest("GET", "//v1/?limit=1", nil)
	StripEmptySegments(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if got, want := r.URL.RawQuery, "limit=1"; got != want {
			t.Errorf("RawQuery: got %q, want %q", got, want)
		}
	})).ServeHTTP(httptest.NewRecorder(), request)
	if got, want := request.URL.Path, "//v1/"; got != want {
		t.Errorf("Path of the outer request: got %q, want %q", got, want)
	}
}

func TestRouter_answers_unclean_paths_without_a_redirect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{}`)
	for _, path := range []string{"/v1/spaces/" + id + "/", "//v1//spaces//" + id, "/api//v1/spaces/" + id + "//"} {
		if got := w.call(w.alice, "GET", path, ""); got.status != 200 {
			t.Errorf("GET %s: got %d, want 200", path, got.status)
		}
	}
	for _, path := range []string{"/v1/user/create-space/", "//v1/user//create-space"} {
		if got := w.call(w.alice, "POST", path, "{}"); got.status != 200 {
			t.Errorf("POST %s: got %d, want 200", path, got.status)
		}
	}
}

func TestRouter_takes_any_text_for_an_id(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ownEntities := "/v1/spaces/" + w.space(w.alice, `{}`) + "/entities/"
	for _, id := range []string{"none", "a%2Fb", "%2F", "..", "%00", "%FF", "%C3%A9", "a%20b", "%25", "'", "{x}", "*"} {
		w.call(w.alice, "GET", "/v1/spaces/"+id, "").refused(404, "Space not found")
		w.call(w.alice, "GET", "/v1/jobs/"+id, "").refused(404, "Job not found")
		w.call(w.alice, "GET", ownEntities+id, "").refused(404, "Entity not found")
		w.call(w.alice, "DELETE", ownEntities+id, "").refused(404, "Entity not found")
		w.call(w.alice, "PUT", ownEntities+id, `{"entity_data":{}}`).refused(404, "Entity not found")
	}
}
