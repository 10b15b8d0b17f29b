package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
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

// A download takes minutes, and meanwhile people save files.
func TestPull_keeps_what_is_saved_during_the_download(t *testing.T) {
	t.Parallel()
	f := newSpaceOfOwner(t)
	const tableFile = "space/entities/table.json"
	entities := "/v1/spaces/" + f.spaceID + "/entities"
	f.owner.Call("POST", entities, map[string]any{"entity_id": "table"}).Want(201, nil)
	saved := map[string]string{
		chairFile: `{"type":"Simple","data":{"label":"Mine"}}`, tableFile: `{"type":"Simple","data":{"label":"Mine, too"}}`,
	}
	var isSaving atomic.Bool
	f.env[0] = "PORTICO_URL=" + proxyThatRuns(t, f.server.URL, func(*http.Request) {
		if !isSaving.Load() {
			return
		}
		for name, content := range saved {
			f.write(name, content)
		}
	})
	if out, code := f.pull(f.spaceID); code != 0 {
		t.Fatalf("portico pull: got exit code %d and %s", code, out)
	}
	f.owner.Call("PUT", entities+"/chair", map[string]any{"entity_data": json.RawMessage(`{"label":"Theirs"}`)}).Want(200, nil)
	f.owner.Call("DELETE", entities+"/table", nil).Want(200, nil)
	isSaving.Store(true)
	out, code := f.pull(f.spaceID)
	if code == 0 {
		t.Errorf("pull of files that were saved meanwhile: got exit code 0 and %s, want a conflict", out)
	}
	wantContains(t, "conflict", out, "changed here and on the server: "+chairFile+", "+tableFile)
	for name, want := range saved {
		if got := f.read(name); got != want {
			t.Errorf("%s: got %s, want what was saved: %s", name, got, want)
		}
	}
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
