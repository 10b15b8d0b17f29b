package console_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"portico/auth"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/world"
	"portico/model"
	"portico/server"
	"portico/splat"
	"portico/splat/folder"
)

func TestMain(m *testing.M) { postgres.Main(m) }

const (
	email    = "ada@example.com"
	password = "correct horse"
)

// open starts a server with an account, and returns a browser in which nobody is signed in.
func open(t *testing.T, flags ...string) (world.World, *http.Client) {
	t.Helper()
	w := world.Start(t, flags...)
	hash, err := auth.NewPasswords().Hash(t.Context(), password)
	check(t, err)
	w.NewClient(t, model.CreateUser{Email: email, Name: "Ada", PasswordHash: hash, Plan: model.PlanPro, Quota: 1 << 30})
	jar, err := cookiejar.New(nil)
	check(t, err)
	return w, &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// send sends a request as a page of the server does.
func send(t *testing.T, w world.World, client *http.Client, method, path, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, w.BaseURL()+path, strings.NewReader(body))
	check(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := client.Do(r)
	check(t, err)
	t.Cleanup(func() { check(t, response.Body.Close()) })
	return response
}

// signIn signs in with the account's password.
func signIn(t *testing.T, w world.World, client *http.Client) {
	t.Helper()
	form := url.Values{"email": {email}, "password": {password}}.Encode()
	if got := send(t, w, client, http.MethodPost, "/login", form).StatusCode; got != http.StatusSeeOther {
		t.Fatalf("sign in: got %d", got)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

func TestConsole_asks_strangers_to_sign_in_and_brings_them_back(t *testing.T) {
	t.Parallel()
	w, client := open(t)
	got := send(t, w, client, http.MethodGet, "/console/spaces/1?q=a%20b", "")
	want := "/login?next=" + url.QueryEscape("/console/spaces/1?q=a%20b")
	if got.StatusCode != http.StatusFound || got.Header.Get("Location") != want {
		t.Errorf("got %d to %q, want 302 to %q", got.StatusCode, got.Header.Get("Location"), want)
	}
}

// The console responds at every path below its own, since its script reads the address. Nothing
// inline, no eval and no other host than the files' can run or be reached.
func TestConsole_has_a_strict_policy_at_every_path(t *testing.T) {
	t.Parallel()
	w, client := open(t)
	signIn(t, w, client)
	files := w.FilesURL()[:strings.LastIndex(w.FilesURL(), "/")]
	for _, path := range []string{"/console", "/console/", "/console//files", "/console/spaces/x"} {
		got := send(t, w, client, http.MethodGet, path, "")
		if got.StatusCode != http.StatusOK || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: got %d and %q, want a page", path, got.StatusCode, got.Header.Get("Content-Type"))
		}
		policy := got.Header.Get("Content-Security-Policy")
		wants := []string{
			"default-src 'none'; font-src 'self'; script-src 'self'; style-src 'self';", "frame-ancestors 'none'", "base-uri 'none'",
			"connect-src 'self' " + strings.Replace(w.BaseURL(), "http", "ws", 1) + " " + files + ";",
		}
		for _, want := range wants {
			if !strings.Contains(policy, want) {
				t.Errorf("policy of %s: got %q, want %q in it", path, policy, want)
			}
		}
		if regexp.MustCompile(`unsafe|\*`).MatchString(policy) {
			t.Errorf("policy of %s: got %q, want nothing unsafe", path, policy)
		}
		if got := got.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control of %s: got %q, want no-store", path, got)
		}
	}
	if got := send(t, w, client, http.MethodPut, "/console", "").StatusCode; got != http.StatusMethodNotAllowed {
		t.Errorf("PUT: got %d, want 405", got)
	}
}

// The footer of the console links its version to the notes.
func TestConsole_says_its_version_and_what_is_new_in_it(t *testing.T) {
	t.Parallel()
	w, client := open(t)
	signIn(t, w, client)
	for path, want := range map[string]string{
		"/console": `<meta name="version" content="` + server.Version() + `">`, "/console/notes.txt": "\n## 0.1.0 ",
	} {
		got := send(t, w, client, http.MethodGet, path, "")
		text, err := io.ReadAll(got.Body)
		check(t, err)
		if got.StatusCode != http.StatusOK || !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s: got %d, want %q in\n%.2000s", path, got.StatusCode, want, text)
		}
	}
}

// The sample is a capture that people can walk through, and the same each time. Strangers do not
// make the server compute it.
func TestConsole_makes_a_sample_capture(t *testing.T) {
	t.Parallel()
	w, client := open(t)
	if got := send(t, w, client, http.MethodGet, "/console/sample.sog", "").StatusCode; got != http.StatusFound {
		t.Errorf("for a stranger: got %d, want a redirect", got)
	}
	signIn(t, w, client)
	var samples [2][]byte
	for i := range samples {
		var err error
		samples[i], err = io.ReadAll(send(t, w, client, http.MethodGet, "/console/sample.sog", "").Body)
		check(t, err)
	}
	if !bytes.Equal(samples[0], samples[1]) {
		t.Error("two requests: got two captures, want the same")
	}
	facts, err := splat.Inspect(t.Context(), folder.Memory{"sample.sog": samples[0]}, "sample.sog")
	if check(t, err); facts.Format != splat.FormatSOG || facts.Splats < 250_000 {
		t.Errorf("got %d Gaussians as %s, want about 300,000 as SOG", facts.Splats, facts.Format)
	}
}
