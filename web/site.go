package web

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/alexedwards/scs/v2"

	"portico/auth"
	"portico/db"
	"portico/limit"
)

// Options says what the pages stand on.
type Options struct {
	// DB keeps accounts and sessions.
	DB *db.DB
	// Keys makes, shows and revokes API keys.
	Keys *auth.Keys
	// Passwords hashes them; nil is a hasher of the site's own. Share one where
	// others hash as well: it bounds the memory.
	Passwords *auth.Passwords
	// BaseURL is the public address of the server. With https cookies are sent
	// over TLS only.
	BaseURL string
	// Signup lets people make accounts themselves, by password or by the external
	// provider.
	Signup bool
	// DefaultQuota is the storage of such an account, in bytes.
	DefaultQuota int64
	// OIDC offers an external provider; nil offers none.
	OIDC *OIDCOptions
	// Limiter counts what an account does to its API key, and finds the address that
	// attempts count for. Nil counts nothing and trusts no proxy.
	Limiter *limit.Limiter
	// Unlimited lifts the limits on attempts, for load tests.
	Unlimited bool
	// Logger gets the errors that are ours; nil is slog.Default.
	Logger *slog.Logger
}

// Site is the pages. Its fields are set once.
type Site struct {
	db        *db.DB
	keys      *auth.Keys
	passwords *auth.Passwords
	base      *url.URL
	signup    bool
	quota     int64     // of a new account
	external  *external // nil when no provider is configured
	limiter   *limit.Limiter
	log       *slog.Logger
	sessions  *scs.SessionManager
	watches   *auth.Watches[db.SessionAccess] // of sessions that opened streams
	forgery   *http.CrossOriginProtection     // refuses forms of other sites
	pages     *pages
	limits    signInLimits
}

// New returns the site. It reaches no provider yet: one that is down keeps
// nobody from signing in by password.
func New(o Options) (*Site, error) {
	base, err := url.Parse(strings.TrimRight(o.BaseURL, "/"))
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("the base URL %q is no address", o.BaseURL)
	}
	s := &Site{
		db: o.DB, keys: o.Keys, passwords: o.Passwords, base: base, signup: o.Signup, quota: o.DefaultQuota,
		log: cmp.Or(o.Logger, slog.Default()), forgery: http.NewCrossOriginProtection(),
		limits: newSignInLimits(o.Unlimited), limiter: o.Limiter,
	}
	if s.passwords == nil {
		s.passwords = auth.NewPasswords()
	}
	if o.OIDC != nil {
		s.external = newExternal(*o.OIDC, base.String()+callbackPath)
	}
	// A proxy may give us another Host than the one in the browser's Origin.
	if err := s.forgery.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		return nil, fmt.Errorf("the base URL %q is no origin: %w", o.BaseURL, err)
	}
	s.sessions = s.newSessions()
	s.watches = &auth.Watches[db.SessionAccess]{DB: s.db, Invalid: s.db.InvalidSessions, Cause: signedOut}
	s.pages, err = newPages()
	return s, err
}

// The paths of the pages.
const (
	signInPath   = "/login"
	externalPath = "/login/external"
	callbackPath = "/login/callback"
	signUpPath   = "/signup"
	signOutPath  = "/logout"
	accountPath  = "/account"
	keyPath      = "/account/key"
)

// Handler answers the paths of the pages and hands all others to next, which may
// be nil.
func (s *Site) Handler(next http.Handler) http.Handler {
	if next == nil {
		next = http.NotFoundHandler()
	}
	routes := s.routes()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if route, ok := routes[CleanPath(r.URL.Path)]; ok {
			route.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// routes are the pages by path. Those of an external provider are there only with
// one; sign-up answers always, to say when it is switched off.
func (s *Site) routes() map[string]http.Handler {
	routes := map[string]http.Handler{
		signInPath:  s.Page(Methods{"GET": s.showSignIn, "POST": s.signIn}),
		signUpPath:  s.Page(Methods{"GET": s.showSignUp, "POST": s.signUp}),
		signOutPath: s.Page(Methods{"POST": s.signOut}),
		accountPath: s.Page(Methods{"GET": s.account}),
		keyPath:     s.Page(Methods{"GET": s.showKey, "POST": s.changeKey}),
	}
	if s.external != nil {
		routes[externalPath] = s.Page(Methods{"GET": s.startExternal})
		routes[callbackPath] = s.Page(Methods{"GET": s.finishExternal})
	}
	for path, asset := range s.pages.assets {
		routes[path] = asset
	}
	return routes
}

// CleanPath drops empty segments: our paths never redirect (contract, Addresses).
func CleanPath(path string) string {
	clean := ""
	for segment := range strings.SplitSeq(path, "/") {
		if segment != "" {
			clean += "/" + segment
		}
	}
	return clean
}
