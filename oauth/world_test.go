package oauth

import (
	"context"
	"database/sql"
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/uptrace/bun/driver/pgdriver"
	"golang.org/x/oauth2"

	"portico/auth"
	"portico/auth/account"
	"portico/db"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/limit"
	"portico/model"
	"portico/web"
)

func TestMain(m *testing.M) { postgres.MainWithoutLeaks(m) }

// callback is where the test's client wants its codes.
const callback = "https://client.example/callback?tab=1"

// world is a server of the test's own with one account, whose person is signed
// in.
type world struct {
	t      *testing.T
	db     *db.DB
	url    string // of the database
	keys   *auth.Keys
	oauth  *Server
	server *httptest.Server
	user   *model.User
	person *http.Client // with the cookies of the session; follows no redirect
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t}
	w.db, w.url = testdb.OpenURL(t)
	var err error
	w.keys, err = auth.NewKeys(w.db, []byte("0123456789abcdef"))
	check(t, err)
	var handler http.Handler
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { handler.ServeHTTP(rw, r) }))
	t.Cleanup(w.server.Close)
	quiet := slog.New(slog.DiscardHandler)
	accounts, err := account.New(account.Options{DB: w.db, BaseURL: w.server.URL})
	check(t, err)
	site, err := web.New(web.Options{
		DB: w.db, Keys: w.keys, Accounts: accounts, BaseURL: w.server.URL, Logger: quiet,
		ClientOf: func(r *http.Request) string { return limit.ClientAddress(r, nil).String() },
	})
	check(t, err)
	w.oauth = New(Options{DB: w.db, Keys: w.keys, Site: site, BaseURL: w.server.URL, Logger: quiet})
	handler = w.oauth.Handler(site.Handler(nil))
	w.addPerson()
	return w
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

// passwordHash returns the hash of the person's password. The tests share it, because hashing takes long
// with the race detector.
var passwordHash = sync.OnceValues(func() (string, error) {
	return auth.NewPasswords().Hash(context.Background(), "correct horse")
})

func (w *world) addPerson() {
	hash, err := passwordHash()
	check(w.t, err)
	w.user, err = w.db.Accounts().CreateUser(w.t.Context(), model.CreateUser{Email: "ada@example.com", Name: "Ada", PasswordHash: hash, Plan: model.PlanFree})
	check(w.t, err)
	w.signIn()
}

// signIn signs the person in, in a browser of their own.
func (w *world) signIn() {
	w.t.Helper()
	w.person = w.stranger()
	response, err := w.person.PostForm(w.server.URL+"/login", url.Values{"email": {"ada@example.com"}, "password": {"correct horse"}})
	check(w.t, err)
	check(w.t, response.Body.Close())
	if response.StatusCode != http.StatusSeeOther {
		w.t.Fatalf("sign in: got %d, want %d", response.StatusCode, http.StatusSeeOther)
	}
}

// stranger is a browser in which nobody is signed in.
func (w *world) stranger() *http.Client {
	jar, err := cookiejar.New(nil)
	check(w.t, err)
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// reply is what a client got; document is empty where it is no JSON.
type reply struct {
	status   int
	header   http.Header
	body     string
	document map[string]any
}

func (w *world) do(client *http.Client, r *http.Request) reply {
	w.t.Helper()
	response, err := client.Do(r)
	check(w.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check(w.t, err)
	got := reply{status: response.StatusCode, header: response.Header, body: string(body)}
	if strings.HasPrefix(got.header.Get("Content-Type"), "application/json") {
		check(w.t, json.Unmarshal(body, &got.document))
	}
	return got
}

// send sends a body of the type; the path may be a whole address.
func (w *world) send(method, path, kind, body string) reply {
	w.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = w.server.URL + path
	}
	r, err := http.NewRequestWithContext(w.t.Context(), method, path, strings.NewReader(body))
	check(w.t, err)
	r.Header.Set("Content-Type", kind)
	return w.do(http.DefaultClient, r)
}

func (w *world) form(path string, form url.Values) reply {
	w.t.Helper()
	return w.send(http.MethodPost, path, "application/x-www-form-urlencoded", form.Encode())
}

// register returns the id of a new client.
func (w *world) register(redirectURIs ...string) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"client_name": "Uploader", "redirect_uris": redirectURIs})
	check(w.t, err)
	got := w.send(http.MethodPost, "/register", "application/json", string(body))
	id, _ := got.document["client_id"].(string)
	if got.status != http.StatusCreated || id == "" {
		w.t.Fatalf("register: got %d %s, want 201 and a client_id", got.status, got.body)
	}
	return id
}

const verifier = "0123456789012345678901234567890123456789012345678901234567890123"

// askingFor is a right authorization request of the client for callback.
func askingFor(client string) url.Values {
	return url.Values{
		"client_id": {client}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"a state & more"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(verifier)}, "code_challenge_method": {"S256"},
	}
}

// authorize opens the page as the person.
func (w *world) authorize(query url.Values) reply {
	w.t.Helper()
	return w.page(w.person, "/authorize?"+query.Encode())
}

func (w *world) page(client *http.Client, path string) reply {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.server.URL+path, nil)
	check(w.t, err)
	return w.do(client, r)
}

var (
	formAction = regexp.MustCompile(`<form method="post" action="([^"]*)" class="decision">`)
	formToken  = regexp.MustCompile(`name="form_token" value="([^"]*)"`)
)

// decide presses a button of the consent page, and returns where the browser is
// sent.
func (w *world) decide(page reply, decision string) *url.URL {
	w.t.Helper()
	got := w.press(page, decision)
	if got.status != http.StatusSeeOther {
		w.t.Fatalf("answer to the consent: got %d %s, want %d", got.status, got.body, http.StatusSeeOther)
	}
	return w.location(got)
}

// press presses a button of the consent page, and returns the response.
func (w *world) press(page reply, decision string) reply {
	w.t.Helper()
	action, token := formAction.FindStringSubmatch(page.body), formToken.FindStringSubmatch(page.body)
	if page.status != http.StatusOK || action == nil || token == nil {
		w.t.Fatalf("consent page: got %d %s, want a form", page.status, page.body)
	}
	return w.submit(html.UnescapeString(action[1]), url.Values{"decision": {decision}, "form_token": {token[1]}}, w.server.URL)
}

// submit sends a form as the person, from a page of the origin.
func (w *world) submit(path string, form url.Values, origin string) reply {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.server.URL+path, strings.NewReader(form.Encode()))
	check(w.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", origin)
	return w.do(w.person, r)
}

func (w *world) location(got reply) *url.URL {
	w.t.Helper()
	u, err := url.Parse(got.header.Get("Location"))
	check(w.t, err)
	return u
}

// code runs the whole flow of a person who agrees.
func (w *world) code(client string) string {
	w.t.Helper()
	code := w.decide(w.authorize(askingFor(client)), "allow").Query().Get("code")
	if code == "" {
		w.t.Fatal("code: got none, want one")
	}
	return code
}

// exchange is the right token request for the code.
func exchange(client, code string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback},
		"client_id": {client}, "code_verifier": {verifier},
	}
}

// wantError compares an error reply (RFC 6749 section 5.2).
func (w *world) wantError(got reply, status int, code string) {
	w.t.Helper()
	if got.status != status || got.document["error"] != code || got.document["error_description"] == "" {
		w.t.Errorf("response: got %d %s, want %d %s with a description", got.status, got.body, status, code)
	}
	if got.document["access_token"] != nil {
		w.t.Errorf("response: got a token in %s, want none", got.body)
	}
}

// execute changes the tables behind the back of package db.
func (w *world) execute(statement string, args ...any) {
	w.t.Helper()
	pool := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(postgres.AdminURL(w.t, w.url))))
	_, err := pool.ExecContext(w.t.Context(), statement, args...)
	check(w.t, err)
	check(w.t, pool.Close())
}
