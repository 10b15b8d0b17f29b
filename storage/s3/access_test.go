package s3

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"portico/storage"
	"portico/storage/storagetest"
)

// Two objects of one file, and an object of another file of the same user.
const (
	roomManifest = "12345678/api_uploads/abc_room/lod-meta.json"
	roomChunk    = "12345678/api_uploads/abc_room/data/0 1.sog"
	otherFile    = "12345678/api_uploads/abcd_other.ply"
)

// A private bucket is read through the server, which redirects to it.
func TestStore_protects_files(t *testing.T) { //nolint:paralleltest // it sets variables, as the other suites
	gateway := startGateway(t)
	var shown atomic.Bool
	var s *Store
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	s, err := Open(t.Context(), Options{
		URL:      "s3://" + gateway.PrivateBucket(t) + "?prefix=ours&endpoint=" + gateway.Endpoint,
		FilesURL: server.URL + "/files", Shown: func(context.Context, string) (bool, error) { return shown.Load(), nil }, Secret: []byte("a secret for the tests alone"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{roomManifest, roomChunk, otherFile} {
		storagetest.Put(t, s, key, "0123456789")
	}
	signed := storagetest.ReadURL(t, s, roomManifest)
	for _, tt := range []struct {
		name, method, address string
		header                http.Header
		status                int
		body                  string
	}{
		{"signed", "GET", signed, nil, 200, "0123456789"},
		{"a chunk beside it", "GET", strings.TrimSuffix(signed, "lod-meta.json") + "data/0%201.sog", nil, 200, "0123456789"},
		{"a range", "GET", signed, http.Header{"Range": {"bytes=2-4"}}, 206, "234"},
		{"HEAD", "HEAD", signed, nil, 200, ""},
		{"another file", "GET", strings.TrimSuffix(signed, roomManifest) + otherFile, nil, 404, ""},
		{"the address of everyone", "GET", s.PublicURL(roomManifest), nil, 404, ""},
		{"the bucket's own address", "GET", s.Other.ObjectURL(roomManifest), nil, 403, ""},
	} {
		res, body := storagetest.Send(t, tt.method, tt.address, tt.header, nil)
		if res.StatusCode != tt.status || tt.body != "" && body != tt.body {
			t.Errorf("%s: got %d %q, want %d %q", tt.name, res.StatusCode, body, tt.status, tt.body)
		}
		if tt.status == 200 && tt.method == "GET" && res.Header.Get("Content-Type") != storage.MediaType(res.Request.URL.Path) {
			t.Errorf("%s: got type %q, want %q", tt.name, res.Header.Get("Content-Type"), storage.MediaType(res.Request.URL.Path))
		}
	}
	// Relative imports of a module follow the address of its response, which must be ours.
	module := strings.TrimSuffix(roomManifest, "lod-meta.json") + "index.mjs"
	storagetest.Put(t, s, module, "export default 1")
	address := strings.TrimSuffix(signed, "lod-meta.json") + "index.mjs"
	res, body := storagetest.Get(t, address, nil)
	if res.StatusCode != 200 || body != "export default 1" || res.Request.URL.String() != address {
		t.Errorf("module: got %d %q from %s, want it without a redirect", res.StatusCode, body, res.Request.URL)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/javascript", "Content-Length": "16", "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*",
		"Content-Security-Policy": "default-src 'none'; sandbox",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("module: got %s %q, want %q", name, got, want)
		}
	}
	if again, _ := storagetest.Get(t, address, http.Header{"If-None-Match": {res.Header.Get("ETag")}}); again.StatusCode != http.StatusNotModified {
		t.Errorf("module again: got %d, want 304", again.StatusCode)
	}
	if head, body := storagetest.Send(t, "HEAD", address, nil, nil); head.StatusCode != 200 || body != "" || head.Header.Get("Content-Length") != "16" {
		t.Errorf("HEAD of a module: got %d %q, want its headers", head.StatusCode, body)
	}
	storagetest.Put(t, s, strings.TrimSuffix(module, "index.mjs")+"picture.svg", "<svg/>")
	picture, _ := storagetest.Get(t, strings.TrimSuffix(address, "index.mjs")+"picture.svg", nil)
	if kind, policy := picture.Header.Get("Content-Type"), picture.Header.Get("Content-Security-Policy"); kind != "image/svg+xml" || policy != "default-src 'none'; sandbox" {
		t.Errorf("picture: got type %q and policy %q, want an SVG in a sandbox", kind, policy)
	}
	for _, address := range []string{s.PublicURL(module), strings.TrimSuffix(address, "index.mjs") + "none.mjs"} {
		if refused, _ := storagetest.Get(t, address, nil); refused.StatusCode != http.StatusNotFound || refused.Header.Get("ETag") != "" {
			t.Errorf("%s: got %d, want 404", address, refused.StatusCode)
		}
	}
	shown.Store(true)
	if res, body := storagetest.Get(t, s.PublicURL(otherFile), nil); res.StatusCode != 200 || body != "0123456789" {
		t.Errorf("shown: got %d %q, want 200", res.StatusCode, body)
	}
	if key, ok := s.KeyOf(signed); !ok || key != roomManifest {
		t.Errorf("KeyOf(%s): got %q, want the key", signed, key)
	}
	checkUpload := storagetest.Presign(t, s, storage.Upload{Key: "1/a.ply", ContentType: "a/b", Size: 3})
	if res := storagetest.Upload(t, checkUpload, strings.NewReader("ply")); res.StatusCode != http.StatusOK {
		t.Errorf("PUT: got %d, want 200 of the bucket", res.StatusCode)
	}
}

// The address of the bucket works for minutes, even where everyone may read everything.
func TestStore_redirects_for_minutes(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIA")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	s, err := Open(t.Context(), Options{URL: "s3://bucket?region=eu-central-1", FilesURL: "https://portico.example/files"})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "https://portico.example/files/1/a.ply", nil))
	if got, want := w.Header().Get("Cache-Control"), "private, max-age=300"; w.Code != http.StatusFound || got != want {
		t.Errorf("redirect: got %d with %q, want 302 with %q", w.Code, got, want)
	}
}
