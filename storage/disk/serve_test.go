package disk

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"portico/storage"
	"portico/storage/storagetest"
)

// checkRefusal checks an error response: status, envelope, CORS, no caching.
func checkRefusal(t *testing.T, res *http.Response, body string, status int) {
	t.Helper()
	var envelope struct{ Status, Message string }
	if err := json.Unmarshal([]byte(body), &envelope); err != nil || envelope.Status != "error" || envelope.Message == "" {
		t.Errorf("body = %q, %v, want the error envelope", body, err)
	}
	checkHeaders(t, res.Header, map[string]string{
		"Content-Type":                "application/json; charset=utf-8",
		"Access-Control-Allow-Origin": "*",
		"Cache-Control":               "no-store",
		"Content-Disposition":         "",
		"ETag":                        "",
	})
	if res.StatusCode != status {
		t.Errorf("got %d %s, want %d", res.StatusCode, body, status)
	}
}

func checkHeaders(t *testing.T, h http.Header, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got := h.Get(name); got != value {
			t.Errorf("%s = %q, want %q", name, got, value)
		}
	}
}

func TestGet_sends_inert_files(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	tests := []struct{ key, mediaType, disposition string }{
		{"1/a.glb", "model/gltf-binary", ""},
		{"1/a.PNG", "image/png", ""},
		{"1/a.sog", "application/octet-stream", ""},
		{"1/a.mjs", "application/octet-stream", "attachment"},
		{"1/a.path", "application/octet-stream", "attachment"},
		{"1/a.html", "application/octet-stream", "attachment"},
		{"1/a.svg", "application/octet-stream", "attachment"},
		{"1/a", "application/octet-stream", "attachment"},
	}
	for _, tt := range tests {
		storagetest.Put(t, s, tt.key, "<script>alert(1)</script>")
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			res, body := storagetest.Send(t, method, s.PublicURL(tt.key), nil, nil)
			if res.StatusCode != http.StatusOK || (method == http.MethodGet) != (body != "") {
				t.Errorf("%s %s: got %d %q, want 200", method, tt.key, res.StatusCode, body)
			}
			checkHeaders(t, res.Header, map[string]string{
				"Content-Type":                 tt.mediaType,
				"Content-Disposition":          tt.disposition,
				"Content-Length":               "25",
				"Cache-Control":                "public, max-age=31536000, immutable",
				"X-Content-Type-Options":       "nosniff",
				"Content-Security-Policy":      "default-src 'none'; sandbox",
				"Cross-Origin-Resource-Policy": "cross-origin",
				"Access-Control-Allow-Origin":  "*",
				"Accept-Ranges":                "bytes",
			})
		}
	}
}

func TestModules_are_scripts_on_an_origin_of_their_own(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(o *Options) { o.BaseURL, o.FilesURL = "https://portico.example", o.BaseURL+"/files" })
	storagetest.Put(t, s, "1/a.mjs", "export default 1")
	for _, site := range []string{"", "cross-site", "same-site"} {
		res, _ := storagetest.Get(t, s.PublicURL("1/a.mjs"), http.Header{"Sec-Fetch-Site": {site}})
		checkHeaders(t, res.Header, map[string]string{
			"Content-Type":                "text/javascript",
			"Content-Disposition":         "",
			"X-Content-Type-Options":      "nosniff",
			"Access-Control-Allow-Origin": "*",
			"Cache-Control":               "public, max-age=31536000, immutable",
		})
	}
}

// A plugin folder has neighbours of its module, which browsers refuse with another type.
func TestPrograms_have_the_types_that_browsers_want_on_an_origin_of_their_own(t *testing.T) {
	t.Parallel()
	isolated := newTestServer(t, func(o *Options) { o.BaseURL, o.FilesURL = "https://portico.example", o.BaseURL+"/files" })
	shared := newTestServer(t, nil)
	for key, want := range map[string]string{
		"1/f/lib/a.js": "text/javascript", "1/f/lib/A.MJS": "text/javascript", "1/f/a.css": "text/css",
		"1/f/a.wasm": "application/wasm", "1/f/a.svg": "image/svg+xml",
	} {
		for _, s := range []*testServer{isolated, shared} {
			storagetest.Put(t, s, key, "x")
			mediaType, disposition := want, ""
			if s == shared {
				mediaType, disposition = "application/octet-stream", "attachment"
			}
			res, _ := storagetest.Get(t, s.PublicURL(key), nil)
			checkHeaders(t, res.Header, map[string]string{
				"Content-Type": mediaType, "Content-Disposition": disposition, "X-Content-Type-Options": "nosniff",
				"Content-Security-Policy": "default-src 'none'; sandbox", "Access-Control-Allow-Origin": "*",
			})
		}
	}
}

// A former address redirects to the object's address and serves nothing, because a script
// could take over the pages of its origin.
func TestFormer_addresses_serve_nothing(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(o *Options) { o.BaseURL, o.FilesURL = "https://portico.example", o.BaseURL+"/elsewhere" })
	server := httptest.NewServer(s.FormerHandler())
	t.Cleanup(server.Close)
	storagetest.Put(t, s, "1/a b.mjs", "export default 1")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/files/1/a%20b.mjs", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(r) // follows nothing
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusPermanentRedirect {
		t.Errorf("GET: got %d, want 308", res.StatusCode)
	}
	checkHeaders(t, res.Header, map[string]string{
		"Location": s.PublicURL("1/a b.mjs"), "Access-Control-Allow-Origin": "*", "ETag": "",
	})
	refused, body := storagetest.Get(t, server.URL+"/elsewhere/1/a%20b.mjs", nil)
	checkRefusal(t, refused, body, http.StatusNotFound)

	given := storagetest.Presign(t, s, storage.Upload{Key: "1/b.ply", ContentType: "a/b", Size: 3, Expires: s.now.Add(time.Minute)})
	given.URL = strings.Replace(given.URL, s.url+"/elsewhere", server.URL+"/files", 1)
	if res := storagetest.Upload(t, given, strings.NewReader("ply")); res.StatusCode != http.StatusOK {
		t.Errorf("PUT to an address that was issued before: got %d, want 200", res.StatusCode)
	}
}

func TestGet_supports_ranges_and_conditions(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	storagetest.Put(t, s, "1/a.bin", "0123456789")
	object, err := s.Stat(t.Context(), "1/a.bin")
	if err != nil {
		t.Fatal(err)
	}
	modified := object.ModifiedAt.Format(http.TimeFormat)
	tests := []struct {
		name    string
		header  http.Header
		status  int
		body    string
		content string
	}{
		{"whole", nil, 200, "0123456789", ""},
		{"a range", http.Header{"Range": {"bytes=2-4"}}, 206, "234", "bytes 2-4/10"},
		{"an open range", http.Header{"Range": {"bytes=8-"}}, 206, "89", "bytes 8-9/10"},
		{"the end", http.Header{"Range": {"bytes=-1"}}, 206, "9", "bytes 9-9/10"},
		{"more than there is", http.Header{"Range": {"bytes=8-99"}}, 206, "89", "bytes 8-9/10"},
		{"a unit that is not known", http.Header{"Range": {"items=0-1"}}, 200, "0123456789", ""},
		{"same tag", http.Header{"If-None-Match": {object.ETag}}, 304, "", ""},
		{"another tag", http.Header{"If-None-Match": {`"other"`}}, 200, "0123456789", ""},
		{"not modified", http.Header{"If-Modified-Since": {modified}}, 304, "", ""},
		{"range of the same", http.Header{"Range": {"bytes=0-0"}, "If-Range": {object.ETag}}, 206, "0", "bytes 0-0/10"},
		{"range of another", http.Header{"Range": {"bytes=0-0"}, "If-Range": {`"other"`}}, 200, "0123456789", ""},
	}
	for _, tt := range tests {
		res, body := storagetest.Get(t, s.PublicURL("1/a.bin"), tt.header)
		if res.StatusCode != tt.status || body != tt.body {
			t.Errorf("%s: got %d %q, want %d %q", tt.name, res.StatusCode, body, tt.status, tt.body)
		}
		checkHeaders(t, res.Header, map[string]string{"ETag": object.ETag, "Content-Range": tt.content})
		// A 304 with an entity tag need not repeat the time.
		if got := res.Header.Get("Last-Modified"); got != modified && tt.status != http.StatusNotModified {
			t.Errorf("%s: Last-Modified = %q, want %q", tt.name, got, modified)
		}
	}
	for _, nothing := range []string{"bytes=10-", "bytes=-0"} {
		res, body := storagetest.Get(t, s.PublicURL("1/a.bin"), http.Header{"Range": {nothing}})
		checkRefusal(t, res, body, http.StatusRequestedRangeNotSatisfiable)
		checkHeaders(t, res.Header, map[string]string{"Content-Range": "bytes */10"})
	}
	res, body := storagetest.Get(t, s.PublicURL("1/a.bin"), http.Header{"If-Match": {`"other"`}})
	checkRefusal(t, res, body, http.StatusPreconditionFailed)
}

func TestGet_of_a_missing_object_is_not_found(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	storagetest.Put(t, s, "1/folder/a.ply", "ply")
	for _, path := range []string{
		"/files/", "/files", "/files/1", "/files/1/", "/files/1/folder/", "/files/1/b.ply", "/files/1//folder/a.ply",
		"/files//1/folder/a.ply", "/files/1%2Ffolder/a.ply", "/files/1/%2e%2e/1/folder/a.ply", "/files/1/folder/a.ply/",
		"/files/..%2fincoming", "/files/%2e%2e/incoming/", "/files/1/folder/a.ply%00", "/elsewhere/1/folder/a.ply",
	} {
		res, body := storagetest.Get(t, s.url+path, nil)
		checkRefusal(t, res, body, http.StatusNotFound)
		if t.Failed() {
			t.Fatalf("GET %s", path)
		}
	}
}

func TestOther_methods_are_not_allowed(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodPatch, "PROPFIND"} {
		res, body := storagetest.Send(t, method, s.url+"/files/1/a.ply", nil, strings.NewReader("x"))
		checkRefusal(t, res, body, http.StatusMethodNotAllowed)
		checkHeaders(t, res.Header, map[string]string{"Allow": "GET, HEAD, PUT, OPTIONS"})
	}
}

func TestPreflights_need_no_signature(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	for _, path := range []string{"/files/1/a.ply", "/files/", "/files/../a"} {
		res, body := storagetest.Send(t, http.MethodOptions, s.url+path, http.Header{
			"Origin":                         {"https://editor.example"},
			"Access-Control-Request-Method":  {"PUT"},
			"Access-Control-Request-Headers": {"content-type"},
		}, nil)
		if res.StatusCode != http.StatusNoContent || body != "" {
			t.Errorf("OPTIONS %s: got %d %q, want 204", path, res.StatusCode, body)
		}
		checkHeaders(t, res.Header, map[string]string{
			"Access-Control-Allow-Origin":  "*",
			"Access-Control-Allow-Methods": "GET, HEAD, PUT, OPTIONS",
		})
		allowed := strings.ToLower(res.Header.Get("Access-Control-Allow-Headers"))
		for _, name := range []string{"authorization", "content-type", "range", "if-none-match", "if-range"} {
			if !strings.Contains(allowed, name) {
				t.Errorf("allowed headers = %q, want %q among them", allowed, name)
			}
		}
	}
	res, _ := storagetest.Get(t, s.PublicURL("1/none.ply"), nil)
	for _, name := range []string{"ETag", "Content-Range", "Accept-Ranges", "Content-Length", "Retry-After"} {
		if exposed := res.Header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, name) {
			t.Errorf("exposed headers = %q, want %q among them", exposed, name)
		}
	}
}
