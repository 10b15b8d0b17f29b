package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func TestPages_keep_others_out(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	b := w.browser()
	for _, path := range []string{"/login", "/signup", "/account", "/account/key"} {
		got := b.get(path).header
		for name, want := range map[string]string{
			"Content-Security-Policy": policy, "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "same-origin", "Cache-Control": "no-store", "Cross-Origin-Opener-Policy": "",
			"Access-Control-Allow-Origin": "",
		} {
			if got.Get(name) != want {
				t.Errorf("%s of %s: got %q, want %q", name, path, got.Get(name), want)
			}
		}
	}
	for _, directive := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
		if !strings.Contains(policy, directive) {
			t.Errorf("policy: got %q, want %q in it", policy, directive)
		}
	}
}

// Forms of other sites do nothing, sign-in included: it could sign a person into
// an account of somebody else's.
func TestPages_refuse_forms_of_other_sites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.addUser("ada@example.com")
	b := w.browser()
	b.signIn("ada@example.com")
	credentials := url.Values{"email": {"ada@example.com"}, "password": {password}, "action": {"generate"}}
	for _, row := range []struct {
		name   string
		header http.Header
		want   int
	}{
		{"cross_site", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}, http.StatusForbidden},
		{"another_host_of_the_site", http.Header{"Sec-Fetch-Site": {"same-site"}}, http.StatusForbidden},
		{"foreign_origin", http.Header{"Origin": {"https://evil.example"}}, http.StatusForbidden},
		{"hidden_origin", http.Header{"Origin": {"null"}}, http.StatusForbidden},
		{"ours", http.Header{"Origin": {w.server.URL}}, http.StatusSeeOther},
	} {
		for _, path := range []string{"/login", "/account/key", "/logout"} {
			got := b.send(http.MethodPost, path, credentials, row.header)
			if got.status != row.want {
				t.Errorf("%s to %s: got %d, want %d", row.name, path, got.status, row.want)
			}
		}
	}
}

func TestPages_trust_the_public_address_behind_a_proxy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *worldOptions) { o.BaseURL = "https://portico.example" })
	w.addUser("ada@example.com")
	got := w.browser().send(http.MethodPost, "/login", url.Values{"email": {"ada@example.com"}, "password": {password}},
		http.Header{"Origin": {"https://portico.example"}})
	wantRedirect(t, got, "/console")
}

func TestPages_answer_by_path_and_method(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	b := w.browser()
	for _, row := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/login", 200, ""}, {"GET", "/login/", 200, ""}, {"GET", "//login", 200, ""}, {"HEAD", "/login", 200, ""},
		{"PUT", "/login", 405, "GET, HEAD, POST"}, {"GET", "/logout", 405, "POST"}, {"POST", "/account", 405, "GET, HEAD"},
		{"GET", "/elsewhere", 404, ""}, {"GET", "/login/external", 404, ""}, {"GET", "/login/callback", 404, ""},
	} {
		got := b.send(row.method, row.path, nil, nil)
		if got.status != row.status || got.header.Get("Allow") != row.allow {
			t.Errorf("%s %s: got %d, Allow %q, want %d, %q", row.method, row.path, got.status, got.header.Get("Allow"), row.status, row.allow)
		}
	}
}

func TestPages_are_accessible_without_scripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.addUser("ada@example.com")
	b, signedIn := w.browser(), w.browser()
	signedIn.signIn("ada@example.com")
	for name, page := range map[string]response{
		"Sign in": b.get("/login"), "Create an account": b.get("/signup"), "API key": signedIn.get("/account/key"),
		"Error: Create an account": b.post("/signup", url.Values{}), "Something went wrong": b.post("/logout/x/../y", url.Values{}),
	} {
		if page.status == http.StatusNotFound {
			continue // not a page of ours
		}
		wantText(t, page, `<html lang="en">`)
		wantText(t, page, "<title>"+name+" – Portico</title>")
		if inline := regexp.MustCompile(`<style|style="|<script>|javascript:| on[a-z]+="`).FindString(page.body); inline != "" {
			t.Errorf("%s: got %q, want nothing inline", name, inline)
		}
		for _, input := range regexp.MustCompile(`<input id="([a-z]+)"[^>]*>`).FindAllStringSubmatch(page.body, -1) {
			wantText(t, page, `<label for="`+input[1]+`">`)
			if !strings.Contains(input[0], `autocomplete="`) {
				t.Errorf("%s: got %s, want autocomplete", name, input[0])
			}
		}
	}
}

func TestAssets_are_served_at_the_addresses_in_the_pages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	b := w.browser()
	page := b.get("/login").body
	for kind, form := range map[string]string{
		"text/css; charset=utf-8":        `href="(/pages/style\.css\?v=[0-9a-f]{12})"`,
		"text/javascript; charset=utf-8": `src="(/pages/copy\.js\?v=[0-9a-f]{12})"`,
	} {
		found := regexp.MustCompile(form).FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("page: got no %s in\n%s", form, page)
		}
		got := b.wantStatus(b.get(found[1]), http.StatusOK)
		if got.header.Get("Content-Type") != kind || got.body == "" {
			t.Errorf("%s: got %q and %d bytes, want %q and some", found[1], got.header.Get("Content-Type"), len(got.body), kind)
		}
	}
}
