package web

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"portico/auth"
	"portico/auth/account"
	"portico/db"
	"portico/model"
	"portico/web/style"
)

// Options are the dependencies and settings of the pages.
type Options struct {
	// DB stores accounts and sessions.
	DB *db.DB
	// Keys generates, shows and revokes API keys.
	Keys *auth.Keys
	// Accounts creates, changes and deletes accounts, and proves who signs in.
	Accounts *account.Registry
	// BaseURL is the public address of the server. If it has https, browsers send cookies
	// over TLS only.
	BaseURL string
	// Brand is how the server calls itself and looks.
	Brand style.Brand
	// OIDC is the external provider. Nil means none.
	OIDC *OIDCOptions
	// ClientOf identifies the client of a request by its address, behind trusted proxies too. The
	// limits of attempts count by it. It must be set.
	ClientOf func(r *http.Request) string
	// CountOperation counts a request of an account in the rate limit of a GraphQL operation, such
	// as "viewer". It returns CodeRateLimited above the limit. Nil means no limit.
	CountOperation func(ctx context.Context, userID, operation string) error
	// Unlimited turns off the limits of attempts, for load tests.
	Unlimited bool
	// Logger logs internal errors. Nil means slog.Default().
	Logger *slog.Logger
}

// Site serves the pages. Its fields are set once.
//
// now is a field so that tests set the clock of connections to a provider.
type Site struct {
	db          *db.DB
	keys        *auth.Keys
	accounts    *account.Registry
	base        *url.URL
	external    *external // nil without a provider
	clientOf    func(r *http.Request) string
	takeLimit   func(ctx context.Context, userID, operation string) error // nil means no limit
	log         *slog.Logger
	sessions    *scs.SessionManager
	watches     *auth.Watches[db.SessionAccess] // of sessions with open streams
	callers     *auth.Cache[db.SessionAccess]
	crossOrigin *http.CrossOriginProtection // refuses forms from other sites
	pages       *pages
	limits      signInLimits
	now         func() time.Time // the clock of connections to a provider
}

// New returns the site. It does not connect to the provider, so that people can sign in with a
// password while the provider does not answer.
func New(o Options) (*Site, error) {
	base, err := url.Parse(strings.TrimRight(o.BaseURL, "/"))
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("the base URL %q is not an address", o.BaseURL)
	}
	s := &Site{
		db: o.DB, keys: o.Keys, accounts: o.Accounts, base: base,
		log: cmp.Or(o.Logger, slog.Default()), crossOrigin: http.NewCrossOriginProtection(),
		limits: newSignInLimits(o.Unlimited), clientOf: o.ClientOf, takeLimit: o.CountOperation, now: time.Now,
	}
	if o.OIDC != nil {
		s.external = newExternal(*o.OIDC, base.String()+callbackPath, s.log)
	}
	// Because a proxy may change Host, which is then not the host in Origin.
	if err := s.crossOrigin.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		return nil, fmt.Errorf("the base URL %q is not an origin: %w", o.BaseURL, err)
	}
	s.sessions = s.newSessions()
	s.callers = auth.NewCache[db.SessionAccess](s.db)
	s.watches = &auth.Watches[db.SessionAccess]{DB: s.db, Invalid: s.db.SignIns().InvalidSessions, Cause: errSignedOut, Logger: s.log}
	s.pages, err = newPages(o.Brand)
	return s, err
}

// Close stops watching sessions and connecting to the provider. The caller closes the site before
// the database.
func (s *Site) Close() {
	s.external.close()
	s.watches.Close()
}

const (
	signInPath   = "/login"
	externalPath = "/login/external"
	callbackPath = "/login/callback"
	signUpPath   = "/signup"
	signOutPath  = "/logout"
	accountPath  = "/account" // leads to the account in the console
	keyPath      = "/account/key"
	codePath     = "/login/code"
	forgotPath   = "/login/forgot"
	resetPath    = model.ResetPath
	confirmPath  = model.ConfirmPath
	sharePath    = model.SharePath
	welcomePath  = "/welcome" // creates the first account of a server
	consolePath  = "/console" // where people publish and manage their spaces
	// consoleAccountPath is the console's view of the account.
	consoleAccountPath = consolePath + "/account"
	// passkeyPath accepts the response to the challenge of passkeyStartPath.
	passkeyPath      = "/login/passkey"
	passkeyStartPath = "/login/passkey/start" //nolint:gosec // a path, no credential
)

// Handler serves the paths of the pages, and calls next for all other paths. A nil next responds
// 404.
func (s *Site) Handler(next http.Handler) http.Handler {
	if next == nil {
		next = http.NotFoundHandler()
	}
	routes := s.routes()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if route, ok := routes[WithoutEmptySegments(r.URL.Path)]; ok {
			route.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// routes returns the pages by path. The pages of a feature exist only if the feature is configured.
// The sign-up page always exists: it explains that sign-up is off.
func (s *Site) routes() map[string]http.Handler {
	routes := map[string]http.Handler{
		signInPath:  s.Page(Methods{"GET": s.showSignIn, "POST": s.signIn}),
		codePath:    s.Page(Methods{"GET": s.showCode, "POST": s.enterCode}),
		signUpPath:  s.Page(Methods{"GET": s.showSignUp, "POST": s.signUp}),
		welcomePath: s.Page(Methods{"GET": s.showWelcome, "POST": s.welcome}),
		signOutPath: s.Page(Methods{"POST": s.signOut}),
		accountPath: s.Page(Methods{"GET": showAccount}),
		sharePath:   s.Page(Methods{"GET": s.showShare, "POST": s.enterByLink}),
		keyPath:     s.Page(Methods{"GET": s.showKey, "POST": s.changeKey}),
	}
	if s.external != nil {
		routes[externalPath] = s.Page(Methods{"GET": s.startExternal})
		routes[callbackPath] = s.Page(Methods{"GET": s.finishExternal})
	}
	if s.accounts.HasPasskeys() {
		routes[passkeyPath] = s.Page(Methods{"POST": s.passkeySignIn})
		routes[passkeyStartPath] = s.Page(Methods{"POST": s.startPasskeySignIn})
	}
	if s.accounts.SendsMail() {
		routes[forgotPath] = s.Page(Methods{"GET": s.showForgot, "POST": s.forgot})
		routes[resetPath] = s.Page(Methods{"GET": s.showReset, "POST": s.reset})
		routes[confirmPath] = s.Page(Methods{"GET": s.showConfirm, "POST": s.confirm})
	}
	for path, asset := range s.pages.assets {
		routes[path] = asset
	}
	return routes
}
