package main

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// firstResponses returns a function that chooses the first response from each path with one of
// these suffixes.
func firstResponses(suffixes ...string) func(path string) bool {
	var seen sync.Map
	return func(path string) bool {
		_, wasSeen := seen.LoadOrStore(path, true)
		return !wasSeen && slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(path, suffix) })
	}
}

// importThrough imports the account into another one, through a proxy.
func (e *exported) importThrough(proxy, email string) (c *user, out, errs string, code int) {
	e.t.Helper()
	c = e.server.newUser(e.t, email, "--pro")
	env := append([]string{"PORTICO_URL=" + proxy, "PORTICO_KEY=" + c.Key}, e.server.settings...)
	out, errs, code = runCommand(e.t, e.server.dir, env, "import", e.zip)
	return c, out, errs, code
}

func TestImport_that_fails_leaves_nothing(t *testing.T) {
	t.Parallel()
	e := accountToExport(t)
	e.download()
	var deletions sync.Map // their first responses are lost, too
	proxy := proxyThatReplaces(t, e.server.URL, func(path string) int {
		if strings.HasSuffix(path, "/update-privacy") {
			return http.StatusForbidden
		}
		folder, _ := filepath.Split(path)
		_, wasLost := deletions.LoadOrStore(path, true)
		if !wasLost && (folder == "/v1/spaces/" || path == "/v1/files") {
			return http.StatusBadGateway
		}
		return 0
	})
	c, out, errs, code := e.importThrough(proxy, "unlucky@example.com")
	if code == 0 || strings.Contains(errs, "delete") {
		t.Errorf("import: got exit code %d, %s and %s, want only the refusal", code, out, errs)
	}
	for _, list := range []string{"/v1/files", "/v1/spaces"} {
		if got := c.Call("GET", list, nil); !strings.Contains(string(got.Body), `"total":0`) {
			t.Errorf("%s after the import: got %s, want none", list, got.Body)
		}
	}
}

// An import of hours meets a restart of the server, and lost connections.
func TestImport_continues_after_lost_answers(t *testing.T) {
	t.Parallel()
	e := accountToExport(t)
	e.download()
	isFirst := firstResponses("/files/upload", "/apply", "/changeset", "/pull", "/update-privacy")
	var operations atomic.Int64 // all have the same path; the first response to each is lost
	proxy := proxyThatLoses(t, e.server.URL, func(path string) bool {
		return isFirst(path) || path == "/graphql" && operations.Add(1)%2 == 1
	})
	_, out, errs, code := e.importThrough(proxy, "lucky@example.com")
	if want := "Imported 3 files and 2 spaces\n"; code != 0 || out != want {
		t.Errorf("import: got exit code %d, %q and %s, want %q", code, out, errs, want)
	}
}
