package storagetest

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/storage"
)

func testAddresses(t *testing.T, s storage.Store) {
	for _, key := range []string{"1/a.ply", "1/api_uploads/k_räum 100% #1?&=+;:@'\"<>.glb", "1/.../~a..b", "1/%2e%2e/%2F"} {
		signed := Presign(t, s, storage.Upload{Key: key, ContentType: "a/b", Size: 1})
		bare, _, _ := strings.Cut(signed.URL, "?")
		for _, address := range []string{s.PublicURL(key), s.PublicURL(key) + "?v=1", signed.URL, bare} {
			if got, ok := s.KeyOf(address); got != key || !ok {
				t.Errorf("KeyOf(%q) = %q, %v, want %q", address, got, ok, key)
			}
		}
		if strings.ContainsAny(s.PublicURL(key), "? #") {
			t.Errorf("PublicURL(%q) = %q, want it escaped", key, s.PublicURL(key))
		}
	}
	base := strings.TrimSuffix(s.PublicURL("a"), "a")
	for _, address := range []string{
		"", "a", "1/a.ply", "https://elsewhere.invalid/files/1/a.ply", "http://%zz/", base, base + "/1/a.ply",
		base + "1//a.ply", base + "1/", base + "../1/a.ply", base + "1/%2e%2E/a.ply", base + "1%2Fa.ply",
		base + "1/..%2fa.ply", base + "1/%5Ca.ply", base + "1/%00.ply", base + "1/a.ply#b", base + "1/%ff",
		strings.Replace(base, "://", "://user@", 1) + "1/a.ply",
	} {
		if got, ok := s.KeyOf(address); ok || got != "" {
			t.Errorf("KeyOf(%q) = %q, %v, want none", address, got, ok)
		}
	}
}

// testAnyScript stores objects under keys in the scripts of their users.
func testAnyScript(t *testing.T, s storage.Store) {
	keys := []string{"1/api_uploads/k_客厅/客厅.lcc2", "1/api_uploads/k_Küche.gltf", "1/api_uploads/k_Ku\u0308che.gltf", "1/कमरा/دار.glb"}
	for _, key := range keys {
		Put(t, s, key, key)
		if got, ok := s.KeyOf(s.PublicURL(key)); got != key || !ok {
			t.Errorf("KeyOf(%q) = %q, %v, want %q", s.PublicURL(key), got, ok, key)
		}
	}
	for _, key := range keys {
		if res, body := Get(t, s.PublicURL(key), nil); res.StatusCode != http.StatusOK || body != key {
			t.Errorf("GET %s: got %d %q, want 200 %q", s.PublicURL(key), res.StatusCode, body, key)
		}
	}
	if err := errors.Join(s.Delete(t.Context(), keys[1]), s.DeletePrefix(t.Context(), "1/api_uploads/k_客厅/")); err != nil {
		t.Errorf("Delete: %v", err)
	}
	var left []string
	for object, err := range s.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, object.Key)
	}
	if want := []string{keys[2], keys[3]}; !slices.Equal(left, want) {
		t.Errorf("List = %q, want %q", left, want)
	}
}

func testPresignedUpload(t *testing.T, s storage.Store) {
	const key = "12345678/api_uploads/k3_räum 1.glb"
	p := Presign(t, s, storage.Upload{Key: key, ContentType: "model/gltf-binary", Size: 4})
	if p.Method != http.MethodPut || p.Headers["Content-Type"] != "model/gltf-binary" {
		t.Errorf("PresignPut = %s %v, want PUT with the content type", p.Method, p.Headers)
	}
	res := Upload(t, p, strings.NewReader("glTF"))
	if res.StatusCode != http.StatusOK {
		t.Fatalf("PUT: got %d, want 200", res.StatusCode)
	}
	object, err := s.Stat(t.Context(), key)
	if err != nil || res.Header.Get("ETag") != object.ETag {
		t.Errorf("ETag of PUT = %s, of Stat = %s, %v, want the same", res.Header.Get("ETag"), object.ETag, err)
	}
	res, body := Get(t, s.PublicURL(key), nil)
	if res.StatusCode != http.StatusOK || body != "glTF" {
		t.Errorf("GET: got %d %q, want 200 %q", res.StatusCode, body, "glTF")
	}
}

func testPresignedUploadRefused(t *testing.T, s storage.Store) {
	u := storage.Upload{Key: "1/a.ply", ContentType: "application/octet-stream", Size: 4}
	past := u
	past.Expires = time.Now().Add(-time.Minute)
	good, expired := Presign(t, s, u), Presign(t, s, past)
	change := func(change func(*storage.Presigned)) storage.Presigned {
		p := good
		change(&p)
		return p
	}
	tests := []struct {
		name    string
		request storage.Presigned
		body    string
	}{
		{"shorter", good, "ply"},
		{"longer", good, "ply12"},
		{"expired", expired, "ply1"},
		{"another type", change(func(p *storage.Presigned) { p.Headers = map[string]string{"Content-Type": "text/html"} }), "ply1"},
		{"no type", change(func(p *storage.Presigned) { p.Headers = nil }), "ply1"},
		{"another key", change(func(p *storage.Presigned) { p.URL = strings.Replace(p.URL, "a.ply", "b.ply", 1) }), "ply1"},
		{"no query", change(func(p *storage.Presigned) { p.URL, _, _ = strings.Cut(p.URL, "?") }), "ply1"},
	}
	for _, tt := range tests {
		if res := Upload(t, tt.request, strings.NewReader(tt.body)); res.StatusCode != http.StatusForbidden {
			t.Errorf("%s: got %d, want 403", tt.name, res.StatusCode)
		}
	}
	if got := Keys(t, s, ""); len(got) != 0 {
		t.Errorf("List = %q, want nothing kept", got)
	}
}

func testPresignRefuses(t *testing.T, s storage.Store) {
	for _, u := range []storage.Upload{
		{Key: "a.ply", ContentType: ""},
		{Key: "a.ply", ContentType: "a/b\r\nX: y"},
		{Key: "a.ply", ContentType: " a/b"},
		{Key: "a.ply", ContentType: "ä/b"},
		{Key: "a.ply", ContentType: "a/b", Size: -1},
	} {
		if p, err := s.PresignPut(t.Context(), u); err == nil {
			t.Errorf("PresignPut(%+v) = %+v, want an error", u, p)
		}
	}
}

// The type that a client states does not decide how browsers treat the bytes.
func testInertTypes(t *testing.T, s storage.Store) {
	for key, want := range map[string]string{
		"1/sent.json": "application/json", "1/sent.html": "application/octet-stream", "1/sent.svg": "application/octet-stream",
		"1/sent.ply": "application/octet-stream", "1/sent.png": "image/png",
	} {
		p := Presign(t, s, storage.Upload{Key: key, ContentType: "text/html", Size: 4})
		if res := Upload(t, p, strings.NewReader("<p/>")); res.StatusCode != http.StatusOK {
			t.Errorf("PUT %s: got %d, want 200", key, res.StatusCode)
		}
		written := strings.Replace(key, "sent", "written", 1)
		Put(t, s, written, "<p/>")
		for _, key := range []string{key, written} {
			if res, _ := Get(t, s.PublicURL(key), nil); res.Header.Get("Content-Type") != want {
				t.Errorf("GET %s: got type %q, want %q", key, res.Header.Get("Content-Type"), want)
			}
		}
	}
}
