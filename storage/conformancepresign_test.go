package storage

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func testAddresses(t *testing.T, s Store) {
	for _, key := range []string{"1/a.ply", "1/api_uploads/k_räum 100% #1?&=+;:@'\"<>.glb", "1/.../~a..b", "1/%2e%2e/%2F"} {
		signed := presign(t, s, Upload{Key: key, ContentType: "a/b", Size: 1})
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
func testAnyScript(t *testing.T, s Store) {
	keys := []string{"1/api_uploads/k_客厅/客厅.lcc2", "1/api_uploads/k_Küche.gltf", "1/api_uploads/k_Ku\u0308che.gltf", "1/कमरा/دار.glb"}
	for _, key := range keys {
		put(t, s, key, key)
		if got, ok := s.KeyOf(s.PublicURL(key)); got != key || !ok {
			t.Errorf("KeyOf(%q) = %q, %v, want %q", s.PublicURL(key), got, ok, key)
		}
	}
	for _, key := range keys {
		if res, body := get(t, s.PublicURL(key), nil); res.StatusCode != http.StatusOK || body != key {
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

// presign signs an upload, which expires in a minute unless it has an expiry.
func presign(t *testing.T, s Store, u Upload) Presigned {
	t.Helper()
	if u.Expires.IsZero() {
		u.Expires = time.Now().Add(time.Minute)
	}
	p, err := s.PresignPut(t.Context(), u)
	if err != nil {
		t.Fatalf("PresignPut(%+v): %v", u, err)
	}
	return p
}

// upload sends a presigned request with a body.
func upload(t *testing.T, p Presigned, body io.Reader) *http.Response {
	t.Helper()
	header := http.Header{}
	for name, value := range p.Headers {
		header.Set(name, value)
	}
	res, _ := send(t, p.Method, p.URL, header, body)
	return res
}

func testPresignedUpload(t *testing.T, s Store) {
	const key = "12345678/api_uploads/k3_räum 1.glb"
	p := presign(t, s, Upload{Key: key, ContentType: "model/gltf-binary", Size: 4})
	if p.Method != http.MethodPut || p.Headers["Content-Type"] != "model/gltf-binary" {
		t.Errorf("PresignPut = %s %v, want PUT with the content type", p.Method, p.Headers)
	}
	res := upload(t, p, strings.NewReader("glTF"))
	if res.StatusCode != http.StatusOK {
		t.Fatalf("PUT: got %d, want 200", res.StatusCode)
	}
	object, err := s.Stat(t.Context(), key)
	if err != nil || res.Header.Get("ETag") != object.ETag {
		t.Errorf("ETag of PUT = %s, of Stat = %s, %v, want the same", res.Header.Get("ETag"), object.ETag, err)
	}
	res, body := get(t, s.PublicURL(key), nil)
	if res.StatusCode != http.StatusOK || body != "glTF" {
		t.Errorf("GET: got %d %q, want 200 %q", res.StatusCode, body, "glTF")
	}
}

func testPresignedUploadRefused(t *testing.T, s Store) {
	u := Upload{Key: "1/a.ply", ContentType: "application/octet-stream", Size: 4}
	past := u
	past.Expires = time.Now().Add(-time.Minute)
	good, expired := presign(t, s, u), presign(t, s, past)
	change := func(change func(*Presigned)) Presigned {
		p := good
		change(&p)
		return p
	}
	tests := []struct {
		name    string
		request Presigned
		body    string
	}{
		{"shorter", good, "ply"},
		{"longer", good, "ply12"},
		{"expired", expired, "ply1"},
		{"another type", change(func(p *Presigned) { p.Headers = map[string]string{"Content-Type": "text/html"} }), "ply1"},
		{"no type", change(func(p *Presigned) { p.Headers = nil }), "ply1"},
		{"another key", change(func(p *Presigned) { p.URL = strings.Replace(p.URL, "a.ply", "b.ply", 1) }), "ply1"},
		{"no query", change(func(p *Presigned) { p.URL, _, _ = strings.Cut(p.URL, "?") }), "ply1"},
	}
	for _, tt := range tests {
		if res := upload(t, tt.request, strings.NewReader(tt.body)); res.StatusCode != http.StatusForbidden {
			t.Errorf("%s: got %d, want 403", tt.name, res.StatusCode)
		}
	}
	if got := keys(t, s, ""); len(got) != 0 {
		t.Errorf("List = %q, want nothing kept", got)
	}
}

func testPresignRefuses(t *testing.T, s Store) {
	for _, u := range []Upload{
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
func testInertTypes(t *testing.T, s Store) {
	for key, want := range map[string]string{
		"1/sent.json": "application/json", "1/sent.html": "application/octet-stream", "1/sent.svg": "application/octet-stream",
		"1/sent.ply": "application/octet-stream", "1/sent.png": "image/png",
	} {
		p := presign(t, s, Upload{Key: key, ContentType: "text/html", Size: 4})
		if res := upload(t, p, strings.NewReader("<p/>")); res.StatusCode != http.StatusOK {
			t.Errorf("PUT %s: got %d, want 200", key, res.StatusCode)
		}
		written := strings.Replace(key, "sent", "written", 1)
		put(t, s, written, "<p/>")
		for _, key := range []string{key, written} {
			if res, _ := get(t, s.PublicURL(key), nil); res.Header.Get("Content-Type") != want {
				t.Errorf("GET %s: got type %q, want %q", key, res.Header.Get("Content-Type"), want)
			}
		}
	}
}
