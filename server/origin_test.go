package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Cookies ignore ports, so a cookie of another application may arrive. No handler of this origin may
// see it.
func TestOriginRouter_drops_cookies_on_the_origin_of_the_files(t *testing.T) {
	t.Parallel()
	var seen []string
	note := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = append(seen, r.Header.Get("Cookie")) })
	s := originRouter{
		path: "/x", files: http.NotFoundHandler(), app: note, apiOnly: note,
		onFilesOrigin: func(r *http.Request) bool { return r.Host == "files.example" },
	}
	for _, host := range []string{"files.example", "portico.example"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/graphql", http.NoBody)
		r.Host = host
		r.Header.Set("Cookie", "session=1")
		s.ServeHTTP(httptest.NewRecorder(), r)
	}
	if len(seen) != 2 || seen[0] != "" || seen[1] != "session=1" {
		t.Errorf("cookies: got %q, want none on the origin of the files alone", seen)
	}
}

func TestIsUpload_is_a_file_for_the_store(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		method, path string
		want         bool
	}{
		{"PUT", "//files/1/a.ply", true},
		{"POST", "/files/1/a.ply", false},
		{"PATCH", "/uploads/abc", true},
		{"PUT", "/v1/spaces/1", false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), test.method, "/", http.NoBody)
		r.URL.Path = test.path
		if got := (&originRouter{path: filesPath}).isUpload(r); got != test.want {
			t.Errorf("%s %s: got %t, want %t", test.method, test.path, got, test.want)
		}
	}
}
