package main

import (
	"crypto/rand"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"portico/internal/testkit/api"

	"golang.org/x/oauth2"
)

const visitorPassword = "correct horse battery"

// visitor is a person in a browser that keeps cookies and follows no redirect, so
// that tests see each step. It has an account and is signed in.
type visitor struct {
	t      testing.TB
	url    string // of the server
	email  string
	client *http.Client
	// session is the last cookie that the server has set, with its attributes.
	session *http.Cookie
}

func newVisitor(t testing.TB, server *process) *visitor {
	t.Helper()
	return newVisitorOf(t, server.URL)
}

// newVisitorOf signs a new person up with the server at the address.
func newVisitorOf(t testing.TB, address string) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	check(t, err)
	v := &visitor{
		t: t, url: address, email: strings.ToLower(rand.Text()) + "@example.com",
		client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	page := v.form(v.url + "/signup")
	page.fields.Set("email", v.email)
	page.fields.Set("name", "Visitor")
	page.fields.Set("password", visitorPassword)
	if got := v.post(page.action, page.fields, v.url); got.Status != http.StatusSeeOther {
		t.Fatalf("sign up: got %d %s, want %d", got.Status, got.Body, http.StatusSeeOther)
	}
	return v
}

func (v *visitor) get(address string) api.Response {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, address, nil)
	check(v.t, err)
	return v.do(r)
}

// post sends a form from a page of the origin.
func (v *visitor) post(address string, fields url.Values, origin string) api.Response {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, address, strings.NewReader(fields.Encode()))
	check(v.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", origin)
	return v.do(r)
}

func (v *visitor) do(r *http.Request) api.Response {
	v.t.Helper()
	response, err := v.client.Do(r)
	check(v.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check(v.t, err)
	for _, cookie := range response.Cookies() {
		v.session = cookie
	}
	return api.Response{T: v.t, Status: response.StatusCode, Header: response.Header, Body: body}
}

func (v *visitor) cookie() *http.Cookie {
	v.t.Helper()
	if v.session == nil {
		v.t.Fatal("cookie: got none, want one")
	}
	return v.session
}

// plant puts another's cookie into the browser.
func (v *visitor) plant(cookie *http.Cookie) {
	v.t.Helper()
	u, err := url.Parse(v.url)
	check(v.t, err)
	v.client.Jar.SetCookies(u, []*http.Cookie{{Name: cookie.Name, Value: cookie.Value, Path: "/"}})
}

// form is the first form of a page, with the values that a browser would send.
type form struct {
	action string
	fields url.Values
}

var (
	formTag   = regexp.MustCompile(`<form method="post" action="([^"]*)"`)
	hiddenTag = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)
)

// form opens a page and reads its form.
func (v *visitor) form(address string) form {
	v.t.Helper()
	got := v.get(address)
	place := formTag.FindSubmatchIndex(got.Body)
	if got.Status != http.StatusOK || place == nil {
		v.t.Fatalf("%s: got %d %s, want a form", address, got.Status, got.Body)
	}
	f := form{action: v.url + html.UnescapeString(string(got.Body[place[2]:place[3]])), fields: url.Values{}}
	content, _, _ := strings.Cut(string(got.Body[place[1]:]), "</form>")
	for _, input := range hiddenTag.FindAllStringSubmatch(content, -1) {
		f.fields.Set(input[1], html.UnescapeString(input[2]))
	}
	return f
}

// answer presses a button of the consent page and returns where the browser is
// sent.
func (v *visitor) answer(address, decision string) *url.URL {
	v.t.Helper()
	page := v.form(address)
	page.fields.Set("decision", decision)
	got := v.post(page.action, page.fields, v.url)
	to, err := url.Parse(got.Header.Get("Location"))
	check(v.t, err)
	if got.Status != http.StatusSeeOther {
		v.t.Fatalf("answer to the consent: got %d %s, want %d", got.Status, got.Body, http.StatusSeeOther)
	}
	return to
}

// app is a registered client that signs people in.
type app struct {
	*oauth2.Config
	t                  testing.TB
	issuer, revocation string
	state, verifier    string
}

// newApp finds the endpoints of the issuer and registers there, by default with a
// redirect URI on the person's own machine.
func newApp(t testing.TB, issuer string, redirectURIs ...string) *app {
	t.Helper()
	a := &app{t: t, Config: &oauth2.Config{}, state: "a state & more", verifier: oauth2.GenerateVerifier()}
	var metadata struct {
		Issuer        string
		Authorization string `json:"authorization_endpoint"`
		Token         string `json:"token_endpoint"`
		Registration  string `json:"registration_endpoint"`
		Revocation    string `json:"revocation_endpoint"`
	}
	response, err := http.Get(issuer + "/.well-known/oauth-authorization-server")
	check(t, err)
	defer response.Body.Close()
	check(t, json.NewDecoder(response.Body).Decode(&metadata))
	if metadata.Issuer != issuer {
		t.Fatalf("issuer: got %q, want %q", metadata.Issuer, issuer)
	}
	a.issuer, a.revocation = issuer, metadata.Revocation
	a.Endpoint = oauth2.Endpoint{AuthURL: metadata.Authorization, TokenURL: metadata.Token, AuthStyle: oauth2.AuthStyleInParams}
	a.register(metadata.Registration, redirectURIs)
	return a
}

func (a *app) register(address string, redirectURIs []string) {
	a.t.Helper()
	if len(redirectURIs) == 0 {
		redirectURIs = []string{"http://127.0.0.1:1/callback"}
	}
	body, err := json.Marshal(map[string]any{
		"client_name": "Uploader", "redirect_uris": redirectURIs, "grant_types": []string{"authorization_code"},
		"response_types": []string{"code"}, "token_endpoint_auth_method": "none",
	})
	check(a.t, err)
	response, err := http.Post(address, "application/json", strings.NewReader(string(body)))
	check(a.t, err)
	defer response.Body.Close()
	var registered struct {
		ClientID string `json:"client_id"`
	}
	check(a.t, json.NewDecoder(response.Body).Decode(&registered))
	if response.StatusCode != http.StatusCreated || registered.ClientID == "" {
		a.t.Fatalf("register: got %d and client %q, want 201 and one", response.StatusCode, registered.ClientID)
	}
	a.ClientID, a.RedirectURL = registered.ClientID, redirectURIs[0]
}

// ask returns the address that the app sends people to.
func (a *app) ask() string { return a.AuthCodeURL(a.state, oauth2.S256ChallengeOption(a.verifier)) }

// exchange checks where the person comes back to, and exchanges the code.
func (a *app) exchange(back *url.URL) (*oauth2.Token, error) {
	a.t.Helper()
	got := back.Query()
	if !strings.HasPrefix(back.String(), a.RedirectURL) || got.Get("state") != a.state || got.Get("iss") != a.issuer {
		a.t.Errorf("return: got %s, want %s with the state and iss %s", back, a.RedirectURL, a.issuer)
	}
	return a.Exchange(a.t.Context(), got.Get("code"), oauth2.VerifierOption(a.verifier))
}

// post sends a form and checks the status.
func (a *app) post(address string, form url.Values, want int) {
	a.t.Helper()
	response, err := http.PostForm(address, form)
	check(a.t, err)
	check(a.t, response.Body.Close())
	if response.StatusCode != want {
		a.t.Errorf("%s: got %d, want %d", address, response.StatusCode, want)
	}
}
