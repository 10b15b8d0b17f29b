package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

// proxyThatRuns forwards requests to a server, and calls before for each of them first.
func proxyThatRuns(t *testing.T, server string, before func(*http.Request)) string {
	t.Helper()
	target, err := url.Parse(server)
	check(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		before(r)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

// A new plugin or asset needs a second archive, and meanwhile others change the space.
func TestPull_has_one_state_of_a_space_that_changes_meanwhile(t *testing.T) {
	t.Parallel()
	f := newSpaceOfOwner(t)
	address := "/v1/spaces/" + f.spaceID
	f.owner.Call("POST", address+"/changeset", json.RawMessage(
		`{"puts":[{"path":"space/assets/hall.bin","content":"a hall"}]}`)).Want(200, nil)
	for name, change := range map[string]func(){
		"a change": func() {
			f.owner.Call("PUT", address+"/entities/chair", map[string]any{"entity_data": json.RawMessage(`{"label":"New"}`)}).Want(200, nil)
		},
		"a deletion": func() { f.owner.Call("DELETE", address+"/entities/chair", nil).Want(200, nil) },
	} {
		f.owner.Call("POST", address+"/entities", map[string]any{"entity_id": "chair"})
		proxy := proxyThatRuns(t, f.server.URL, func(r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/pull") && !r.URL.Query().Has("assets") {
				change()
			}
		})
		folder := spaceFolder{t, filepath.Join(t.TempDir(), "new"), f.data, []string{"PORTICO_URL=" + proxy, f.env[1]}}
		if out, code := folder.pull(f.spaceID); code != 0 {
			t.Errorf("pull during %s: got exit code %d and %s", name, code, out)
		}
		wantContains(t, "status after "+name, folder.must("status"), "Changed here:\n  nothing", "Changed on the server:\n  nothing")
	}
}
