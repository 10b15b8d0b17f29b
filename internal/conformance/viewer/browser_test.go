package viewer_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"portico/internal/testkit/npm"
)

const (
	// scriptsDir holds the page, the script and their package.json.
	scriptsDir     = "node"
	minNodeVersion = 20
	// scriptTimeout is the maximum time of the browser's work, which takes seconds.
	scriptTimeout = 8 * time.Minute
)

// viewer holds the page and the browser that displays it.
type viewer struct {
	node, chromium string
	dir            string // of the page and the script
	page           string // its address
}

// newViewer serves the page. It skips the test if the browser or a package is missing.
func newViewer(t *testing.T) viewer {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	v := viewer{dir: filepath.Join(t.TempDir(), scriptsDir)}
	var err error
	if v.chromium, err = exec.LookPath(cmp.Or(os.Getenv("CHROMIUM"), "/usr/bin/chromium")); err != nil {
		t.Skipf("Chromium is not installed: captures are not shown: %v", err)
	}
	if v.node, err = npm.Node(t.Context(), minNodeVersion); err != nil {
		t.Skipf("captures are not shown: %v", err)
	}
	packages, err := npm.Install(t.Context(), "viewer", os.DirFS(scriptsDir))
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("the packages cannot be installed: %v", err)
	}
	check(t, err)
	check(t, os.CopyFS(v.dir, os.DirFS(scriptsDir)))
	// The folder may have node_modules of a developer.
	check(t, os.RemoveAll(filepath.Join(v.dir, "node_modules")))
	check(t, os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(v.dir, "node_modules")))
	v.page = serve(t, v.dir) + "/page.html"
	return v
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

// result is the page's answer to a view.
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
	ctx, cancel := context.WithTimeout(t.Context(), scriptTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, v.node, "show.mjs")
	cmd.Dir, cmd.Env = v.dir, append(os.Environ(), "CHROMIUM="+v.chromium)
	cmd.Stdin = bytes.NewReader(request)
	// An interrupt lets the script close the browser; a kill would leave it running.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("show.mjs: got %v, want it to end with code 0\n%s", err, stderr.String())
	}
	var all []result
	for decoder := json.NewDecoder(&stdout); decoder.More(); {
		var s result
		check(t, decoder.Decode(&s))
		all = append(all, s)
	}
	if len(all) != len(views) {
		t.Fatalf("got %d answers, want one for each of %d views", len(all), len(views))
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
