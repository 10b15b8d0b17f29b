package viewer_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"portico/internal/testkit/browser"
)

// viewer contains the page and the browser that displays it.
type viewer struct {
	scripts *browser.Scripts
	page    string // its address
}

// newViewer serves the page. It skips the test if the browser or a package is missing.
func newViewer(t *testing.T) viewer {
	t.Helper()
	scripts := browser.New(t, browser.Options{Name: "viewer", Scripts: "node"})
	return viewer{scripts: scripts, page: serve(t, scripts.Folder) + "/page.html"}
}

// serve serves a folder to pages of all origins and returns its address.
func serve(t *testing.T, dir string) string {
	t.Helper()
	files := http.FileServer(http.Dir(dir))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		// Browsers request it from every site, and log its absence as an error.
		if r.URL.Path == "/favicon.ico" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// view is a request to the page.
type view struct {
	URL         string     `json:"url"`
	Level       int        `json:"level"`
	Eye         [3]float64 `json:"eye"`
	Target      [3]float64 `json:"target"`
	FieldOfView float64    `json:"fieldOfView"`
}

// result is the page's response to a view.
type result struct {
	Splats       int
	Screen       []byte // a PNG
	Said         []string
	Milliseconds int
}

// show shows all views in order in one tab.
func (v viewer) show(t *testing.T, views []view) []result {
	t.Helper()
	request, err := json.Marshal(map[string]any{"page": v.page, "views": views})
	check(t, err)
	out, err := v.scripts.Run(t.Context(), browser.Command{Script: "show.mjs", Input: request})
	if err != nil {
		t.Fatalf("show.mjs: got %v, want it to end with code 0\n%s", err, out.Stderr)
	}
	all := browser.Lines[result](t, out)
	if len(all) != len(views) {
		t.Fatalf("got %d responses, want one for each of %d views", len(all), len(views))
	}
	return all
}

// check ends the test if err is not nil.
func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
