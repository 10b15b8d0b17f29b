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

	"portico/internal/npm"
)

const (
	// scriptsDir holds the page, the script and the list of their packages.
	scriptsDir = "node"
	oldestNode = 20
	// scriptTime bounds the browser's work, which takes seconds.
	scriptTime = 3 * time.Minute
)

// viewer is the page, and the browser to look at it with.
type viewer struct {
	node, chromium string
	dir            string // of the page and the script
	page           string // its address
}

// newViewer serves the page, or skips the test where it cannot be looked at.
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
	if v.node, err = npm.Node(t.Context(), oldestNode); err != nil {
		t.Skipf("captures are not shown: %v", err)
	}
	packages, err := npm.Install(t.Context(), "viewer", os.DirFS(scriptsDir))
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("the packages cannot be installed: %v", err)
	}
	check(t, err)
	check(t, os.CopyFS(v.dir, os.DirFS(scriptsDir)))
	// Someone who works on the page may have installed the packages beside it.
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
		// Browsers ask every site for it.
		if r.URL.Path == "/favicon.ico" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// view is what the page is asked to show.
type view struct {
	URL         string     `json:"url"`
	Level       int        `json:"level"`
	Eye         [3]float64 `json:"eye"`
	Target      [3]float64 `json:"target"`
	FieldOfView float64    `json:"fieldOfView"`
}

// shown is what it made of it.
type shown struct {
	Splats       int
	Screen       []byte // a PNG
	Said         []string
	Milliseconds int
}

// show shows all views, in their order, in one tab.
func (v viewer) show(t *testing.T, views []view) []shown {
	t.Helper()
	question, err := json.Marshal(map[string]any{"page": v.page, "views": views})
	check(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), scriptTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, v.node, "show.mjs")
	cmd.Dir, cmd.Env = v.dir, append(os.Environ(), "CHROMIUM="+v.chromium)
	cmd.Stdin = bytes.NewReader(question)
	// The browser goes with its script only when that can end it.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("show.mjs: got %v, want it to end with code 0\n%s", err, stderr.String())
	}
	var all []shown
	for decoder := json.NewDecoder(&stdout); decoder.More(); {
		var s shown
		check(t, decoder.Decode(&s))
		all = append(all, s)
	}
	if len(all) != len(views) {
		t.Fatalf("got %d answers, want one for each of %d views", len(all), len(views))
	}
	return all
}

// check ends the test at an error that is not what it is about.
func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
