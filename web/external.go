package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

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
func newExternal(o OIDCOptions, redirect string) *external {
	if o.HTTPClient == nil {
		o.HTTPClient = &http.Client{Timeout: providerTimeout}
	}
	host := o.Issuer
	if u, err := url.Parse(o.Issuer); err == nil && u.Host != "" {
		host = u.Host
	}
	return &external{options: o, host: host, redirect: redirect}
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
	Issuer   string       `json:"-"` // from the verified token, not from the claims
	Subject  string       `json:"-"` // the permanent id at the provider
	Email    string       `json:"email"`
	Verified flexibleBool `json:"email_verified"`
	Name     string       `json:"name"`
}

// account returns the profile as the rules of accounts want it.
func (p *profile) account() account.Profile {
	return account.Profile{Issuer: p.Issuer, Subject: p.Subject, Email: p.Email, EmailVerified: bool(p.Verified), Name: p.Name}
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
	errNonce   = errors.New("the ID token has another nonce")
	errSubject = errors.New("the ID token has no subject") // all people without one would share an account
)

// profile exchanges the code and returns the claims of the verified ID token.
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
	if id.Subject == "" {
		return nil, errSubject
	}
	found := &profile{Issuer: id.Issuer, Subject: id.Subject}
	if err := id.Claims(found); err != nil {
		return nil, fmt.Errorf("read the ID token: %w", err)
	}
	return found, nil
}
