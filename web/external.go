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
// mu guards provider.
type external struct {
	options  OIDCOptions
	host     string // of the issuer, for the label of the button
	redirect string // the address of our callback

	mu       sync.Mutex
	provider *oidc.Provider // nil until it has answered once
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

// discover returns the provider with its metadata. After a failure, the next call tries again. It
// holds no lock during the request, so that sign-ins do not wait for each other.
func (e *external) discover() (*oidc.Provider, error) {
	if cached := e.cachedProvider(); cached != nil {
		return cached, nil
	}
	// Not the context of the request: the provider keeps it, and later uses it to fetch keys.
	provider, err := oidc.NewProvider(e.context(context.Background()), e.options.Issuer)
	if err != nil {
		return nil, fmt.Errorf("reach the sign-in provider: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.provider = provider
	return provider, nil
}

// cachedProvider returns the provider if its metadata was read before, or nil.
func (e *external) cachedProvider() *oidc.Provider {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.provider
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
	provider, err := e.discover()
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
