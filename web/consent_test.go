package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// newConsentWorld is a site that asks for consent at /ask, and responds to a POST
// there with what was answered.
func newConsentWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, nil)
	ask := func(rw http.ResponseWriter, r *http.Request) error {
		user, err := w.site.User(r)
		if err != nil || user == nil {
			return w.site.RedirectToSignIn(rw, r)
		}
		to := &url.URL{Scheme: "https", Host: "client.example"}
		return w.site.ShowConsent(rw, r, user, Consent{Client: "Uploader", RedirectURI: to})
	}
	showAnswer := func(rw http.ResponseWriter, r *http.Request) error {
		_, err := fmt.Fprint(rw, w.site.ConsentAnswer(r))
		return err
	}
	pages, page := w.site.Handler(nil), w.site.Page(Methods{"GET": ask, "POST": showAnswer})
	w.server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ask" {
			page.ServeHTTP(rw, r)
			return
		}
		pages.ServeHTTP(rw, r)
	})
	w.addUser("ada@example.com")
	w.addUser("eve@example.com")
	return w
}

var formTokenInput = regexp.MustCompile(`name="form_token" value="([0-9a-f]{64})"`)

// formToken returns the token of the page at the address.
func formToken(b *browser, address string) string {
	b.w.t.Helper()
	found := formTokenInput.FindStringSubmatch(b.wantStatus(b.get(address), http.StatusOK).body)
	if found == nil {
		b.w.t.Fatal("page: got no form token, want one")
	}
	return found[1]
}

func TestConsentAnswer_requires_the_same_session_and_request(t *testing.T) {
	t.Parallel()
	w := newConsentWorld(t)
	ada, adaElsewhere, eve, nobody := w.browser(), w.browser(), w.browser(), w.browser()
	ada.signIn("ada@example.com")
	adaElsewhere.signIn("ada@example.com")
	eve.signIn("eve@example.com")
	const asked = "/ask?client=1&state=a%20b"
	given := formToken(ada, asked)
	for _, row := range []struct {
		name     string
		b        *browser
		address  string
		decision string
		token    string
		want     Answer
	}{
		{"allowed", ada, asked, "allow", given, Allowed},
		{"allowed_again", ada, asked, "allow", given, Allowed},
		{"query_written_otherwise", ada, "/ask?state=a+b&client=1", "allow", given, Allowed},
		{"denied", ada, asked, "deny", given, Denied},
		{"no_decision", ada, asked, "", given, Denied},
		{"another_word", ada, asked, "Allow", given, Denied},
		{"another_client", ada, "/ask?client=2&state=a%20b", "allow", given, NotAsked},
		{"further_parameter", ada, asked + "&scope=x", "allow", given, NotAsked},
		{"another_session_of_the_same_person", adaElsewhere, asked, "allow", given, NotAsked},
		{"another_person", eve, asked, "allow", given, NotAsked},
		{"nobody", nobody, asked, "allow", given, NotAsked},
		{"no_token", ada, asked, "allow", "", NotAsked},
		{"cut_token", ada, asked, "allow", given[:63], NotAsked},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := row.b.post(row.address, url.Values{"decision": {row.decision}, "form_token": {row.token}})
			if want := fmt.Sprint(row.want); got.body != want {
				t.Errorf("answer: got %s, want %s", got.body, want)
			}
		})
	}
	inQuery := ada.post(asked+"&decision=allow&form_token="+given, url.Values{})
	if inQuery.body != fmt.Sprint(NotAsked) {
		t.Errorf("form token in the address: got %s, want %d", inQuery.body, NotAsked)
	}
	ada.post("/logout", url.Values{})
	ada.signIn("ada@example.com")
	if got := ada.post(asked, url.Values{"decision": {"allow"}, "form_token": {given}}); got.body != fmt.Sprint(NotAsked) {
		t.Errorf("form token of the session before: got %s, want %d", got.body, NotAsked)
	}
}

func TestShowConsent_to_nobody_leads_to_the_sign_in(t *testing.T) {
	t.Parallel()
	w := newConsentWorld(t)
	wantRedirect(t, w.browser().get("/ask?client=1"), "/login?next=%2Fask%3Fclient%3D1")
}

func TestShowConsent_names_who_gets_the_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	for _, row := range []struct {
		name, client, to, problem string
		status                    int
		wants                     []string
		policy                    string
	}{
		{"named", "Uploader", "https://a.example/cb", "", 200,
			[]string{"Give access to <bdi>Uploader</bdi>?", "<strong>a.example</strong>", "ada@example.com"}, "https://a.example"},
		{"nameless", "", "https://a.example:444/cb", "", 200, []string{"Give access to an app?", "An app without a name", "<strong>a.example:444</strong>"}, "https://a.example:444"},
		{"in_the_clear", "x", "http://a.example/cb", "", 200, []string{"<strong>a.example</strong>"}, "http://a.example"},
		{"loopback", "x", "http://localhost:1/cb", "", 200, []string{"an app on this computer"}, "http://localhost:1"},
		{"IPv6", "x", "http://[::1]:1/cb", "", 200, []string{"<strong>[::1]:1</strong>"}, "http:"},
		{"once_more", "x", "https://a.example/cb", "Answer again", 403, []string{`role="alert" id="problem">Answer again`, "<title>Error: Give access"}, "https://a.example"},
	} {
		t.Run(row.name, func(t *testing.T) {
			to, err := url.Parse(row.to)
			check(t, err)
			show := w.site.Page(Methods{"GET": func(rw http.ResponseWriter, r *http.Request) error {
				return w.site.ShowConsent(rw, r, user, Consent{Client: row.client, RedirectURI: to, Problem: row.problem})
			}})
			recorder := httptest.NewRecorder()
			show.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/ask", nil))
			if recorder.Code != row.status {
				t.Errorf("status: got %d, want %d", recorder.Code, row.status)
			}
			for _, want := range row.wants {
				wantText(t, response{body: recorder.Body.String()}, want)
			}
			if got, want := recorder.Header().Get("Content-Security-Policy"), "form-action 'self' "+row.policy; !strings.HasSuffix(got, want) {
				t.Errorf("policy: got %q, want %q at its end", got, want)
			}
		})
	}
}

func TestShowConsent_warns_of_an_address_that_is_not_encrypted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	for address, want := range map[string]bool{
		"http://a.example/cb": true, "http://192.168.1.4:8080/cb": true, "http://localhost.example/cb": true,
		"https://a.example/cb": false, "http://localhost:1/cb": false, "http://127.0.0.1/cb": false, "http://[::1]:1/cb": false,
	} {
		to, err := url.Parse(address)
		check(t, err)
		recorder := httptest.NewRecorder()
		w.site.Page(Methods{"GET": func(rw http.ResponseWriter, r *http.Request) error {
			return w.site.ShowConsent(rw, r, user, Consent{Client: "x", RedirectURI: to})
		}}).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/ask", nil))
		const warning = "This address is not encrypted. Others on the network can read the key."
		if got := strings.Contains(recorder.Body.String(), warning); got != want {
			t.Errorf("%s: got the warning %t, want %t", address, got, want)
		}
	}
}
