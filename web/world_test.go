package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/auth"
	"portico/auth/account"
	"portico/db"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/limit"
	"portico/model"
)

func TestMain(m *testing.M) { postgres.MainWithoutLeaks(m) }

const password = "correct horse"

// world is a site of the test's own with real HTTP in front of it.
type world struct {
	t        *testing.T
	db       *db.DB
	url      string // of the database
	keys     *auth.Keys
	accounts *account.Registry
	site     *Site
	server   *httptest.Server
	now      func() time.Time // the clock of one-time codes
}

// worldOptions are the options of a site, and of the accounts that sign in there.
type worldOptions struct {
	Options
	accounts account.Options
}

// newWorld opens a site; change may alter its options.
func newWorld(t *testing.T, change func(*worldOptions)) *world {
	t.Helper()
	database, url := testdb.OpenURL(t)
	keys, err := auth.NewKeys(database, []byte("0123456789abcdef"))
	check(t, err)
	w := &world{t: t, db: database, url: url, keys: keys, now: time.Now}
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.site.Handler(nil).ServeHTTP(rw, r)
	}))
	t.Cleanup(w.server.Close)
	quiet := slog.New(slog.DiscardHandler)
	options := worldOptions{
		Options: Options{DB: database, Keys: keys, BaseURL: w.server.URL, ClientOf: clientOf(nil), Logger: quiet},
		accounts: account.Options{
			DB: database, Keys: keys, Signup: true, Quota: 10_000_000_000, RenewSession: RenewSession,
			Now: func() time.Time { return w.now() }, Logger: quiet,
		},
	}
	if change != nil {
		change(&options)
	}
	options.accounts.BaseURL = options.BaseURL
	w.accounts, err = account.New(options.accounts)
	check(t, err)
	options.Accounts = w.accounts
	w.site, err = New(options.Options)
	check(t, err)
	return w
}

// newLimiter returns a limiter with a fixed clock that trusts X-Forwarded-For from this machine.
func newLimiter(t *testing.T) *limit.Limiter {
	t.Helper()
	proxies, err := limit.ParseNetworks("127.0.0.1, ::1")
	check(t, err)
	limiter, err := limit.New(limit.Options{Now: func() time.Time { return time.Unix(0, 0) }, TrustedProxies: proxies})
	check(t, err)
	t.Cleanup(func() { check(t, limiter.Close()) })
	return limiter
}

// clientOf returns what package server passes in as Options.ClientOf. A nil limiter trusts no
// proxy.
func clientOf(limiter *limit.Limiter) func(*http.Request) string {
	return func(r *http.Request) string { return string(limiter.AddressSubject(r)) }
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

// passwordHash returns the hash of the test's password. The tests share it, because hashing takes long
// with the race detector.
var passwordHash = sync.OnceValues(func() (string, error) {
	return auth.NewPasswords().Hash(context.Background(), password)
})

// addUser adds an account with the test's password.
func (w *world) addUser(email string) *model.User {
	w.t.Helper()
	hash, err := passwordHash()
	check(w.t, err)
	user, err := w.db.Accounts().CreateUser(w.t.Context(), model.CreateUser{
		Email: email, Name: "Ada", PasswordHash: hash, Plan: model.PlanFree, Quota: 10_000_000_000,
	})
	check(w.t, err)
	return user
}

// browser keeps cookies and follows no redirect, so that tests see each step.
type browser struct {
	w      *world
	client *http.Client
}

func (w *world) browser() *browser {
	jar, err := cookiejar.New(nil)
	check(w.t, err)
	return &browser{w: w, client: &http.Client{
		Jar:           jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// response is what a browser got, with its whole body.
type response struct {
	status int
	header http.Header
	body   string
}

func (r response) location() string { return r.header.Get("Location") }

// wantSignedIn checks which account is signed in; "" for none.
func (b *browser) wantSignedIn(userID string) {
	b.w.t.Helper()
	got := ""
	if caller := b.w.callerOf(b.cookie()); caller != nil {
		got = caller.UserID
	}
	if got != userID {
		b.w.t.Errorf("signed in: got account %q, want %q", got, userID)
	}
}

func (b *browser) get(path string) response {
	b.w.t.Helper()
	return b.send(http.MethodGet, path, nil, nil)
}

// post sends a form the way browsers do from one of our pages.
func (b *browser) post(path string, form url.Values) response {
	b.w.t.Helper()
	return b.send(http.MethodPost, path, form, http.Header{"Origin": {b.w.server.URL}, "Sec-Fetch-Site": {"same-origin"}})
}

func (b *browser) send(method, path string, form url.Values, header http.Header) response {
	b.w.t.Helper()
	r, err := http.NewRequestWithContext(b.w.t.Context(), method, b.w.server.URL+path, strings.NewReader(form.Encode()))
	check(b.w.t, err)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, values := range header {
		r.Header[name] = values
	}
	got, err := b.client.Do(r)
	check(b.w.t, err)
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	check(b.w.t, err)
	return response{got.StatusCode, got.Header, string(body)}
}

func (b *browser) signIn(email string) response {
	b.w.t.Helper()
	return b.post("/login", url.Values{"email": {email}, "password": {password}})
}

// cookie returns the value of the session's cookie, or "".
func (b *browser) cookie() string {
	u, err := url.Parse(b.w.server.URL)
	check(b.w.t, err)
	for _, c := range b.client.Jar.Cookies(u) {
		if c.Name == "portico_session" {
			return c.Value
		}
	}
	return ""
}

// setCookies stores the cookies of a response in the browser.
func (b *browser) setCookies(response *http.Response) {
	u, err := url.Parse(b.w.server.URL)
	check(b.w.t, err)
	b.client.Jar.SetCookies(u, response.Cookies())
}

// callerOf returns the caller of a request that one of our pages sends with the cookie; nil where
// nobody is signed in.
func (w *world) callerOf(cookie string) *model.Caller {
	w.t.Helper()
	caller, err := w.site.Caller(nil, w.pageRequest(cookie))
	check(w.t, err)
	return caller
}

// pageRequest returns a request of one of our pages with the cookie of a session.
func (w *world) pageRequest(cookie string) *http.Request {
	r := httptest.NewRequestWithContext(w.t.Context(), http.MethodPost, w.server.URL+"/graphql", strings.NewReader("{}"))
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.AddCookie(&http.Cookie{Name: "portico_session", Value: cookie})
	return r
}

// wantStatus compares the status and ends the test where it differs.
func (b *browser) wantStatus(got response, want int) response {
	b.w.t.Helper()
	if got.status != want {
		b.w.t.Fatalf("status: got %d (to %q), want %d\n%s", got.status, got.location(), want, got.body)
	}
	return got
}

func wantRedirect(t *testing.T, got response, want string) {
	t.Helper()
	if got.status != http.StatusSeeOther && got.status != http.StatusFound || got.location() != want {
		t.Errorf("response: got %d to %q, want a redirect to %q", got.status, got.location(), want)
	}
}

func wantText(t *testing.T, got response, want string) {
	t.Helper()
	if !strings.Contains(got.body, want) {
		t.Errorf("page: got no %q in\n%s", want, got.body)
	}
}
