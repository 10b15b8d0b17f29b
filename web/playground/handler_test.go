package playground_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"portico/web/playground"
)

// ask sends a request with a header, "" for none, and returns the response as it is
// on the wire, read to its end.
func ask(t *testing.T, server *httptest.Server, method, path, name, value string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
	check(t, err)
	if name != "" {
		request.Header.Set(name, value)
	}
	response, err := (&http.Transport{DisableCompression: true}).RoundTrip(request)
	check(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check(t, err)
	return response, body
}

func serve(t *testing.T) *httptest.Server {
	t.Helper()
	handler, err := playground.New(playground.Options{})
	check(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// files returns the addresses that the page names.
func files(t *testing.T, server *httptest.Server) []string {
	t.Helper()
	_, page := ask(t, server, "GET", "/playground", "", "")
	var addresses []string
	for _, found := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllSubmatch(page, -1) {
		if address := string(found[1]); address != "data:," { // no icon
			addresses = append(addresses, address)
		}
	}
	return addresses
}

func TestPage_is_one_of_people(t *testing.T) {
	t.Parallel()
	_, page := ask(t, serve(t), "GET", "/playground", "", "")
	for _, want := range []string{`<html lang="en">`, `<title>GraphQL – Portico</title>`, `name="viewport"`, `<noscript>`} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("page: got no %s in\n%s", want, page)
		}
	}
	if inline := regexp.MustCompile(`<style|style="|<script>|javascript:| on[a-z]+="`).Find(page); inline != nil {
		t.Errorf("page: got %q, want nothing inline", inline)
	}
}

func TestLicences_are_served(t *testing.T) {
	t.Parallel()
	response, text := ask(t, serve(t), "GET", "/playground/LICENSES", "", "")
	if got := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || got != "text/plain; charset=utf-8" {
		t.Errorf("got %s as %q, want a text", response.Status, got)
	}
	for _, name := range []string{"graphiql", "react", "react-dom"} {
		if !bytes.Contains(text, []byte(name)) {
			t.Errorf("licences: got none of %s", name)
		}
	}
}

func TestPage_knows_whether_the_schema_is_secret(t *testing.T) {
	t.Parallel()
	for _, secret := range []bool{false, true} {
		handler, err := playground.New(playground.Options{NoIntrospection: secret})
		check(t, err)
		page := httptest.NewRecorder()
		handler.ServeHTTP(page, httptest.NewRequest("GET", "/playground", nil))
		if got := strings.Contains(page.Body.String(), `id="playground" data-no-introspection>`); got != secret {
			t.Errorf("page: got %t for no introspection, want %t in\n%s", got, secret, page.Body.String())
		}
	}
}

func TestHandler_keeps_others_out(t *testing.T) {
	t.Parallel()
	server := serve(t)
	for _, path := range append(files(t, server), "/playground") {
		response, _ := ask(t, server, "GET", path, "", "")
		policy := response.Header.Get("Content-Security-Policy")
		for _, want := range []string{
			"default-src 'none'", "script-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
		} {
			if !strings.Contains(policy+";", want+";") {
				t.Errorf("policy of %s: got %q, want %q in it", path, policy, want)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("policy of %s: got %q, want nothing unsafe", path, policy)
		}
		for name, want := range map[string]string{
			"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		} {
			if got := response.Header.Get(name); got != want {
				t.Errorf("%s of %s: got %q, want %q", name, path, got, want)
			}
		}
	}
}

func TestFiles_have_their_hash_in_their_address(t *testing.T) {
	t.Parallel()
	server := serve(t)
	kinds := map[string]string{"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}
	form := regexp.MustCompile(`^/playground/([a-z-]+)-([0-9a-f]{16})\.(js|css)$`)
	var names []string
	for _, path := range files(t, server) {
		found := form.FindStringSubmatch(path)
		if found == nil {
			t.Fatalf("address: got %s, want %s", path, form)
		}
		names = append(names, found[1]+"."+found[3])
		response, body := ask(t, server, "GET", path, "", "")
		if response.StatusCode != http.StatusOK || len(body) == 0 {
			t.Errorf("%s: got %d and %d bytes, want 200 and some", path, response.StatusCode, len(body))
		}
		for name, want := range map[string]string{
			"Content-Type": kinds[found[3]], "Cache-Control": "public, max-age=31536000, immutable", "ETag": `"` + found[2] + `"`,
		} {
			if got := response.Header.Get(name); got != want {
				t.Errorf("%s of %s: got %q, want %q", name, path, got, want)
			}
		}
	}
	if got, want := strings.Join(names, " "), "graphiql.css style.css react.js react-dom.js graphiql.js start.js"; got != want {
		t.Errorf("files: got %s, want %s", got, want)
	}
	page, _ := ask(t, server, "GET", "/playground", "", "")
	if got, want := page.Header.Get("Cache-Control"), "no-cache"; got != want {
		t.Errorf("Cache-Control of the page: got %q, want %q", got, want)
	}
}

// The tests in the browser check what is loaded first. This test checks what may be loaded later.
func TestFiles_refer_to_no_others(t *testing.T) {
	t.Parallel()
	server := serve(t)
	others := regexp.MustCompile(`@import|@font-face|url\(["']?[^)d"']|sourceMappingURL=`)
	for _, path := range files(t, server) {
		if _, body := ask(t, server, "GET", path, "", ""); others.Match(body) {
			t.Errorf("%s: got %q in it", path, others.Find(body))
		}
	}
}

func TestHandler_compresses_for_clients_that_take_it(t *testing.T) {
	t.Parallel()
	server := serve(t)
	for _, path := range append(files(t, server), "/playground") {
		plain, content := ask(t, server, "GET", path, "", "")
		zipped, body := ask(t, server, "GET", path, "Accept-Encoding", "gzip")
		reader, err := gzip.NewReader(bytes.NewReader(body))
		check(t, err)
		unzipped, err := io.ReadAll(reader)
		check(t, err)
		if !bytes.Equal(unzipped, content) {
			t.Errorf("%s: got other content with gzip than without", path)
		}
		if got := plain.Header.Get("Content-Encoding"); got != "" {
			t.Errorf("Content-Encoding of %s: got %q, want none where the client takes none", path, got)
		}
		if got := zipped.Header.Get("Content-Encoding"); got != "gzip" {
			t.Errorf("Content-Encoding of %s: got %q, want gzip", path, got)
		}
		if plain.Header.Get("ETag") == zipped.Header.Get("ETag") {
			t.Errorf("ETag of %s: got %s for both, want one for each", path, plain.Header.Get("ETag"))
		}
		for _, response := range []*http.Response{plain, zipped} {
			if got, want := response.Header.Get("Vary"), "Accept-Encoding"; got != want {
				t.Errorf("Vary of %s: got %q, want %q", path, got, want)
			}
			if response.ContentLength < 0 { // a wrong one breaks the response off
				t.Errorf("Content-Length of %s: got none", path)
			}
		}
	}
}

func TestHandler_reads_Accept_Encoding(t *testing.T) {
	t.Parallel()
	server := serve(t)
	for accepted, want := range map[string]string{
		"gzip": "gzip", "gzip, deflate, br, zstd": "gzip", "br;q=1, GZIP;q=0.5": "gzip", "deflate , gzip ; q=0.1": "gzip", "*": "gzip",
		"identity": "", "br": "", "gzip;q=0": "", "*, gzip;q=0": "", "gzip;q=0.000": "", "*;q=0": "", "*;q=0, gzip": "gzip", "xgzip": "",
	} {
		response, _ := ask(t, server, "HEAD", "/playground", "Accept-Encoding", accepted)
		if got := response.Header.Get("Content-Encoding"); got != want {
			t.Errorf("%q: got %q, want %q", accepted, got, want)
		}
	}
}

func TestHandler_spares_what_the_browser_has(t *testing.T) {
	t.Parallel()
	server := serve(t)
	page, _ := ask(t, server, "GET", "/playground", "", "")
	tag := page.Header.Get("ETag")
	for known, want := range map[string]int{tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, "*": 304, `"x"`: 200, strings.Trim(tag, `"`): 200} {
		response, body := ask(t, server, "GET", "/playground", "If-None-Match", known)
		if response.StatusCode != want || (want == 304) != (len(body) == 0) {
			t.Errorf("If-None-Match %s: got %d and %d bytes, want %d", known, response.StatusCode, len(body), want)
		}
		if got := response.Header.Get("ETag"); got != tag {
			t.Errorf("ETag: got %s, want %s", got, tag)
		}
	}
}

func TestHandler_answers_by_path_and_method(t *testing.T) {
	t.Parallel()
	server := serve(t)
	script := files(t, server)[2]
	for _, row := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/playground", 200, ""}, {"GET", "/playground/", 200, ""}, {"GET", "//playground", 200, ""},
		{"HEAD", "/playground", 200, ""}, {"HEAD", script, 200, ""},
		{"POST", "/playground", 405, "GET, HEAD"}, {"OPTIONS", "/playground", 405, "GET, HEAD"}, {"DELETE", script, 405, "GET, HEAD"},
		{"GET", "/playground/start.js", 404, ""}, {"GET", "/playground/page.html", 404, ""}, {"GET", "/playground/files/LICENSES", 404, ""},
		{"GET", "/playground/../playground.js", 404, ""}, {"POST", "/playground/x", 404, ""}, {"GET", "/", 404, ""},
	} {
		response, body := ask(t, server, row.method, row.path, "", "")
		if response.StatusCode != row.status || response.Header.Get("Allow") != row.allow {
			t.Errorf("%s %s: got %d, Allow %q, want %d, %q",
				row.method, row.path, response.StatusCode, response.Header.Get("Allow"), row.status, row.allow)
		}
		if kind := response.Header.Get("Content-Type"); row.status != 200 && kind != "text/plain; charset=utf-8" {
			t.Errorf("%s %s: got %s, want plain text", row.method, row.path, kind)
		}
		if row.method == "HEAD" && (len(body) > 0 || response.Header.Get("Content-Length") == strconv.Itoa(0)) {
			t.Errorf("HEAD %s: got %d bytes, Content-Length %s, want none and how many they were",
				row.path, len(body), response.Header.Get("Content-Length"))
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
