package page_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"portico/model"
)

// TestPages_have_a_policy_each: only the form for frames can be framed, nothing allows inline
// code, and only the page of a space runs scripts.
func TestPages_have_a_policy_each(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id, private := p.space(ada, "Space", "", model.Public), p.space(ada, "Space", "", model.Private)
	files := p.FilesURL()[:strings.LastIndex(p.FilesURL(), "/")]
	for path, row := range map[string]struct{ framed, scripts, scene bool }{
		"/": {scripts: true}, "/u/" + ada.ID: {}, "/x/y": {}, "/" + private: {}, "/" + id: {scripts: true, scene: true},
		"/embed/" + id: {framed: true, scripts: true, scene: true}, "/embed/" + private: {framed: true, scripts: true, scene: true},
	} {
		got := p.stranger().get(path).header
		policy := got.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "base-uri 'none'", "style-src 'self';"} {
			if !strings.Contains(policy, want) {
				t.Errorf("policy of %s: got %q, want %q in it", path, policy, want)
			}
		}
		// Without the source of the decoders' WebAssembly, which the form for frames has.
		if row.framed {
			policy = strings.Replace(policy, "script-src 'self' 'wasm-unsafe-eval';", "script-src 'self';", 1)
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") != row.scripts {
			t.Errorf("policy of %s: got %q, want scripts %t and nothing unsafe", path, policy, row.scripts)
		}
		if strings.Contains(policy, "frame-ancestors *") != row.framed || (got.Get("X-Frame-Options") == "DENY") == row.framed {
			t.Errorf("%s: got the policy %q and X-Frame-Options %q, want framed %t", path, policy, got.Get("X-Frame-Options"), row.framed)
		}
		if embedder := got.Get("Cross-Origin-Embedder-Policy"); (embedder == "require-corp") != row.framed {
			t.Errorf("%s: got the embedder policy %q, want one: %t", path, embedder, row.framed)
		}
		if resource := got.Get("Cross-Origin-Resource-Policy"); (resource == "cross-origin") != row.framed {
			t.Errorf("%s: got the resource policy %q, want cross-origin: %t", path, resource, row.framed)
		}
		for _, directive := range []string{"img-src", "connect-src", "media-src"} {
			if row.scene && !regexp.MustCompile(directive+` 'self'[^;]* `+regexp.QuoteMeta(files)).MatchString(policy) {
				t.Errorf("policy of %s: got %q, want %s in %s", path, policy, files, directive)
			}
		}
		if got.Get("X-Content-Type-Options") != "nosniff" || got.Get("Referrer-Policy") != "same-origin" {
			t.Errorf("headers of %s: got %v, want nosniff and same-origin", path, got)
		}
	}
}

// In a bucket, uploads and files have an origin of their own.
func TestPolicy_names_the_bucket(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	p := open(t, "--storage-url=s3://spaces?endpoint=http://127.0.0.1:9&region=us-east-1", "--files-url=https://cdn.example/spaces")
	ada := p.account("Ada")
	policy := p.stranger().get("/" + p.space(ada, "Space", "", model.Public)).header.Get("Content-Security-Policy")
	for _, want := range []string{"connect-src 'self' blob: data: https://cdn.example http://127.0.0.1:9;", "img-src 'self' blob: data: https://cdn.example"} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy: got %q, want %q in it", policy, want)
		}
	}
}

func TestPages_are_revalidated(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id := p.space(ada, "Space", "", model.Public)
	stranger, owner := p.stranger(), p.signedIn("Ada")
	for _, path := range []string{"/", "/" + id, "/embed/" + id, "/u/" + ada.ID} {
		first := stranger.get(path, "Accept-Encoding", "identity")
		tag := first.header.Get("ETag")
		if first.header.Get("Cache-Control") != "no-cache" || tag == "" {
			t.Errorf("%s: got Cache-Control %q, ETag %q, want no-cache and an ETag", path, first.header.Get("Cache-Control"), tag)
		}
		for _, vary := range []string{"Accept-Language", "Accept-Encoding"} {
			if !strings.Contains(strings.Join(first.header.Values("Vary"), ","), vary) {
				t.Errorf("%s: got Vary %q, want %s", path, first.header.Values("Vary"), vary)
			}
		}
		again := stranger.get(path, "Accept-Encoding", "identity", "If-None-Match", tag)
		if again.status != http.StatusNotModified || again.body != "" {
			t.Errorf("%s again: got %d and %d bytes, want 304 and none", path, again.status, len(again.body))
		}
		if german := stranger.get(path, "Accept-Encoding", "identity", "Accept-Language", "de", "If-None-Match", tag); german.status != http.StatusOK {
			t.Errorf("%s in German: got %d, want 200", path, german.status)
		}
		head := stranger.send(http.MethodHead, path, "", "Accept-Encoding", "identity")
		if head.status != http.StatusOK || head.body != "" || head.header.Get("ETag") != tag || head.header.Get("Content-Length") != first.header.Get("Content-Length") {
			t.Errorf("HEAD %s: got %d %v, want the headers of GET", path, head.status, head.header)
		}
		own := owner.get(path)
		if cache := own.header.Get("Cache-Control"); !strings.HasPrefix(path, "/embed") && cache != "private, no-cache" {
			t.Errorf("%s, signed in: got Cache-Control %q, want private", path, cache)
		}
	}
	// A page that a cache keeps is gone when the space is.
	tag := stranger.get("/" + id).header.Get("ETag")
	_, err := ada.REST("PUT", "/spaces/"+id, map[string]any{"privacy": "Private"}, nil)
	check(t, err)
	stranger.wantStatus(stranger.get("/"+id, "If-None-Match", tag), http.StatusForbidden)
}

func TestPages_are_compressed(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id := p.space(ada, "Space", "", model.Public)
	plain := p.stranger().get("/"+id, "Accept-Encoding", "identity")
	zipped := p.stranger().get("/"+id, "Accept-Encoding", "gzip")
	r, err := gzip.NewReader(strings.NewReader(zipped.body))
	check(t, err)
	body, err := io.ReadAll(r)
	check(t, err)
	if string(body) != plain.body || zipped.header.Get("Content-Encoding") != "gzip" || zipped.header.Get("ETag") == plain.header.Get("ETag") {
		t.Errorf("page: got %v, want the same page compressed, with an ETag of its own", zipped.header)
	}
}

// The embedded page ignores the session, so that the site around it cannot use it.
func TestEmbed_is_the_same_for_everybody(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	path := "/embed/" + p.space(ada, "Space", "", model.Public)
	stranger, owner := p.stranger().get(path), p.signedIn("Ada").get(path)
	if stranger.body != owner.body || strings.Contains(owner.body, "/account") {
		t.Errorf("page: got\n%s\nfor the owner, want the stranger's\n%s", owner.body, stranger.body)
	}
	if vary := strings.Join(stranger.header.Values("Vary"), ","); strings.Contains(vary, "Cookie") {
		t.Errorf("Vary: got %q, want no Cookie", vary)
	}
	wantText(t, stranger, `data-embed="true"`, `<link rel="canonical" href="`+p.BaseURL()+strings.TrimPrefix(path, "/embed")+`">`)
}

func TestAssets_are_kept_for_ever(t *testing.T) {
	t.Parallel()
	p := open(t)
	page := p.stranger().get("/" + p.space(p.account("Ada"), "Space", "", model.Public))
	found := regexp.MustCompile(`(?:href|src)="(/(?:dist|place)/[^"]*)"`).FindAllStringSubmatch(page.body, -1)
	if len(found) < 3 { // a script, its style and ours
		t.Fatalf("page: got the files %v, want at least 3", found)
	}
	for _, address := range found {
		got := p.stranger().get(address[1], "Accept-Encoding", "gzip")
		if got.status != http.StatusOK || got.header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			got.header.Get("Content-Encoding") != "gzip" || got.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: got %d %v, want a compressed file to keep", address[1], got.status, got.header)
		}
		if refused := p.stranger().send(http.MethodPost, address[1], ""); refused.status != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: got %d, want 405", address[1], refused.status)
		}
	}
	if icon := p.stranger().get("/favicon.svg"); icon.status != http.StatusOK || icon.header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("icon: got %d %q, want an SVG", icon.status, icon.header.Get("Content-Type"))
	}
}

// Clients other than browsers get a short text for an unknown path.
func TestUnknown_paths(t *testing.T) {
	t.Parallel()
	p := open(t)
	if got := p.stranger().get("/nothing", "Accept", "*/*"); got.status != http.StatusNotFound || got.body != "Not found\n" {
		t.Errorf("client: got %d %q, want 404 and a short text", got.status, got.body)
	}
	wantText(t, p.stranger().get("/nothing"), "<h1>There is nothing here</h1>", url.PathEscape("/nothing")[3:])
}

// Reading without a session is limited by address, with a session by account.
func TestPages_are_limited(t *testing.T) {
	t.Parallel()
	p := open(t, "--rate-limits=on")
	p.account("Ada")
	ada, stranger := p.signedIn("Ada"), p.stranger()
	refused := response{}
	for range 400 {
		if refused = stranger.get("/u/99999999"); refused.status == http.StatusTooManyRequests {
			break
		}
	}
	if refused.status != http.StatusTooManyRequests || refused.header.Get("Retry-After") == "" {
		t.Fatalf("400 requests: got %d, Retry-After %q, want 429", refused.status, refused.header.Get("Retry-After"))
	}
	wantText(t, refused, "<h1>Too many requests</h1>")
	for path, want := range map[string]int{"/sitemap.xml": 429, "/oembed?url=" + url.QueryEscape(p.BaseURL()+"/10000000_a"): 429, "/robots.txt": 200, "/favicon.svg": 200} {
		if got := stranger.get(path); got.status != want {
			t.Errorf("%s: got %d, want %d", path, got.status, want)
		}
	}
	ada.wantStatus(ada.get("/"), http.StatusOK)
}
