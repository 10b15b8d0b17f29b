package playground_test

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"portico/internal/testkit/npm"
	"portico/web/playground"
)

const (
	// scriptDir holds the script and the list of its packages.
	scriptDir  = "browser"
	oldestNode = 20
	lookTime   = 3 * time.Minute
)

// TestPage_in_a_browser looks at the page in Chromium, light, dark and on a phone:
// axe finds nothing, Tab leaves the editors, and the answer is on the screen.
func TestPage_in_a_browser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	chromium, err := exec.LookPath(cmp.Or(os.Getenv("CHROMIUM"), "/usr/bin/chromium"))
	if err != nil {
		t.Skipf("Chromium is not installed: %v", err)
	}
	node, err := npm.Node(t.Context(), oldestNode)
	if err != nil {
		t.Skip(err)
	}
	packages, err := npm.Install(t.Context(), "playground", os.DirFS(scriptDir))
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("the packages cannot be installed: %v", err)
	}
	check(t, err)
	dir := filepath.Join(t.TempDir(), scriptDir)
	check(t, os.CopyFS(dir, os.DirFS(scriptDir)))
	// Someone who works on the script may have installed the packages beside it.
	check(t, os.RemoveAll(filepath.Join(dir, "node_modules")))
	check(t, os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")))
	ctx, cancel := context.WithTimeout(t.Context(), lookTime)
	defer cancel()
	got, err := exec.CommandContext(ctx, node, filepath.Join(dir, "look.mjs"), chromium, serveAnswers(t)).CombinedOutput()
	if err != nil || string(got) != "looked\n" {
		t.Errorf("page: got %v and\n%swant nothing that is wrong", err, got)
	}
}

// serveAnswers serves the page above a GraphQL that gives every operation one answer,
// and returns the page's address.
func serveAnswers(t *testing.T) string {
	t.Helper()
	page, err := playground.New(playground.Options{NoIntrospection: true})
	check(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/graphql" {
			page.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":{"viewer":{"id":"the-answer","used":1,"pro":true,"name":null}}}`)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/playground"
}
