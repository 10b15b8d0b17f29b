package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"portico/auth/account"
	"portico/internal/background"
)

// OIDCOptions names an OpenID Connect provider that people may sign in with.
type OIDCOptions struct {
	// Issuer is the provider's address. The first sign-in reads its metadata (OpenID Connect
	// Discovery section 4).
	Issuer string
	// ClientID and ClientSecret identify us at the provider, which must have
	// BASE_URL/login/callback as our redirect URI. The secret may be empty.
	ClientID     string
	ClientSecret string
	// TrustEmail counts an address as verified if the provider does not say whether it is. The
	// provider must give nobody an address that is not theirs.
	TrustEmail bool
	// HTTPClient sends requests to the provider. Nil means a client with providerTimeout.
	HTTPClient *http.Client
}

// providerTimeout limits each request to the provider.
const providerTimeout = 10 * time.Second

// external is an OpenID Connect provider. Its metadata is read at the first sign-in, so that the
// server can start while the provider does not answer.
//
// mu guards latest.
type external struct {
	options  OIDCOptions
	host     string // of the issuer, for the label of the button
	redirect string // the address of our callback
	log      *slog.Logger
	// discoveries are the goroutines that read the metadata of the provider.
	discoveries background.Group

	mu     sync.Mutex
	latest *discovery // nil before the first one
}

// discovery reads the metadata of the provider once, for all sign-ins that wait for it. provider
// and err are set before done is closed.
type discovery struct {
	done     chan struct{}
	provider *oidc.Provider
	err      error
}

// hasFailed reports whether the discovery has ended with an error.
func (d *discovery) hasFailed() bool {
	select {
	case <-d.done:
		return d.err != nil
	default:
		return false
	}
}

// newExternal returns the provider, without connecting to it.
func newExternal(o OIDCOptions, redirect string, log *slog.Logger) *external {
	if o.HTTPClient == nil {
		o.HTTPClient = &http.Client{Timeout: providerTimeout}
	}
	host := o.Issuer
	if u, err := url.Parse(o.Issuer); err == nil && u.Host != "" {
		host = u.Host
	}
	return &external{options: o, host: host, redirect: redirect, log: log}
}

// discover returns the provider with its metadata, or the error of ctx. After a failure, the next
// call tries again.
func (e *external) discover(ctx context.Context) (*oidc.Provider, error) {
	d := e.sharedDiscovery()
	select {
	case <-d.done:
		return d.provider, d.err
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the sign-in provider: %w", ctx.Err())
	}
}

// sharedDiscovery returns the discovery that has succeeded or runs, or starts one. It goes on when
// its first caller has left, for the callers that wait with it.
func (e *external) sharedDiscovery() *discovery {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.latest != nil && !e.latest.hasFailed() {
		return e.latest
	}
	d := &discovery{done: make(chan struct{})}
	e.latest = d
	_, started := e.discoveries.Go(func(ctx context.Context) {
		defer close(d.done)
		if d.provider, d.err = oidc.NewProvider(e.context(ctx), e.options.Issuer); d.err != nil {
			d.err = fmt.Errorf("reach the sign-in provider: %w", d.err)
		}
	})
	if !started {
		d.err = errClosed
		close(d.done)
	}
	return d
}

// errClosed is the error of a discovery after Site.Close.
var errClosed = errors.New("the site is closed")

// close ends the discovery that runs. Close of nil does nothing.
func (e *external) close() {
	if e != nil {
		e.discoveries.Stop()
	}
}

// context returns a context with which the libraries use our HTTP client.
func (e *external) context(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, e.options.HTTPClient)
}

// config returns the configuration of the authorization code flow with the provider.
func (e *external) config(provider *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: e.options.ClientID, ClientSecret: e.options.ClientSecret, RedirectURL: e.redirect,
		Endpoint: provider.Endpoint(), Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
}

// profile contains the provider's claims about a person.
type profile struct {
	Issuer   string        `json:"-"` // from the verified token, not from the claims
	Subject  string        `json:"-"` // the permanent id at the provider
	Email    string        `json:"email"`
	Verified *flexibleBool `json:"email_verified"` // nil if the provider does not say
	Name     string        `json:"name"`
}

// account returns the profile as the rules of accounts want it.
func (p *profile) account() account.Profile {
	return account.Profile{
		Issuer: p.Issuer, Subject: p.Subject, Email: p.Email, EmailVerified: p.Verified != nil && bool(*p.Verified), Name: p.Name,
	}
}

// isComplete reports whether the profile has all claims that accounts use.
func (p *profile) isComplete() bool { return p.Email != "" && p.Verified != nil && p.Name != "" }

// add adds claims that the profile lacks. Whether an address is verified is said of one address
// only.
func (p *profile) add(other *profile) {
	if p.Email == "" {
		p.Email, p.Verified = other.Email, other.Verified
	} else if p.Verified == nil && strings.EqualFold(p.Email, other.Email) {
		p.Verified = other.Verified
	}
	p.Name = cmp.Or(p.Name, other.Name)
}

// flexibleBool accepts true and "true", because some providers send booleans as strings.
type flexibleBool bool

// UnmarshalJSON implements json.Unmarshaler. Every other value is false.
func (b *flexibleBool) UnmarshalJSON(text []byte) error {
	*b = string(text) == "true" || string(text) == `"true"`
	return nil
}

// The faults of an ID token with a valid signature.
var (
	errNonce = errors.New("the ID token has another nonce")
	// All people without a subject would share an account, and Postgres cannot store every text.
	errSubject = fmt.Errorf("the subject of the ID token must have 1 to %d bytes, without control characters", maxSubject)
)

// maxSubject is the maximum size of a subject in bytes. OpenID Connect Core section 2 allows 255.
const maxSubject = 1000

// isSubject reports whether the text can be the id of a person.
func isSubject(text string) bool {
	return text != "" && len(text) <= maxSubject && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// profile exchanges the code and returns the claims of the verified ID token. It asks the provider
// for claims that the token lacks: some providers return them at the userinfo endpoint only (OpenID
// Connect Core section 5.4). Without these, a person whose identity is linked can still sign in.
//
// Verify checks the signature, the issuer, the audience and the expiry (OpenID Connect Core section
// 3.1.3.7). The nonce is compared here, because the library leaves that to its caller.
func (e *external) profile(ctx context.Context, code, verifier, nonce string) (*profile, error) {
	provider, err := e.discover(ctx)
	if err != nil {
		return nil, err
	}
	ctx = e.context(ctx)
	token, err := e.config(provider).Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return nil, fmt.Errorf("exchange the provider's code: %w", err)
	}
	raw, _ := token.Extra("id_token").(string) // Verify refuses ""
	id, err := provider.Verifier(&oidc.Config{ClientID: e.options.ClientID}).Verify(ctx, raw)
	if err != nil {
		return nil, fmt.Errorf("verify the ID token: %w", err)
	}
	if nonce == "" || id.Nonce != nonce {
		return nil, errNonce
	}
	if !isSubject(id.Subject) {
		return nil, errSubject
	}
	found := &profile{Issuer: id.Issuer, Subject: id.Subject}
	if err := id.Claims(found); err != nil {
		return nil, fmt.Errorf("read the ID token: %w", err)
	}
	if !found.isComplete() && provider.UserInfoEndpoint() != "" {
		if err := addUserInfo(ctx, found, provider, token); err != nil {
			e.log.Warn("the sign-in provider returns no userinfo", "error", err)
		}
	}
	if found.Verified == nil && e.options.TrustEmail {
		found.Verified = new(flexibleBool)
		*found.Verified = true
	}
	return found, nil
}

// addUserInfo adds the claims of the userinfo endpoint to a profile.
func addUserInfo(ctx context.Context, found *profile, provider *oidc.Provider, token *oauth2.Token) error {
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return err
	}
	if info.Subject != found.Subject { // OpenID Connect Core section 5.3.2: it must not be used
		return errors.New("the userinfo is of another subject than the ID token")
	}
	claims := new(profile)
	if err := info.Claims(claims); err != nil {
		return err
	}
	found.add(claims)
	return nil
}
