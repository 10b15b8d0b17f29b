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
)

// OIDCOptions names an OpenID Connect provider that people may sign in with.
type OIDCOptions struct {
	// Issuer is the provider's address. Its metadata is read at the first sign-in (OpenID
	// Connect Discovery section 4).
	Issuer string
	// ClientID and ClientSecret identify us at the provider, which must have
	// BASE_URL/login/callback as our redirect URI. The secret may be empty.
	ClientID     string
	ClientSecret string
	// HTTPClient sends requests to the provider; nil means a client with a timeout.
	HTTPClient *http.Client
}

// providerTimeout limits each request to the provider.
const providerTimeout = 10 * time.Second

// external is an OpenID Connect provider. Its endpoints are read when they are first needed,
// so that the server starts without it.
type external struct {
	options  OIDCOptions
	host     string // of the issuer, as the button names it
	redirect string // our callback

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

// discover returns the provider. After a failure the next call tries again. It holds no lock
// during the request, so that nobody waits for the request of another person.
func (e *external) discover() (*oidc.Provider, error) {
	if known := e.known(); known != nil {
		return known, nil
	}
	// Not the request's context: the provider keeps this one, and fetches keys with it later.
	provider, err := oidc.NewProvider(e.context(context.Background()), e.options.Issuer)
	if err != nil {
		return nil, fmt.Errorf("reach the sign-in provider: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.provider = provider
	return provider, nil
}

// known returns the provider if it has answered before, else nil.
func (e *external) known() *oidc.Provider {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.provider
}

// context returns a context with which the libraries use our HTTP client.
func (e *external) context(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, e.options.HTTPClient)
}

// config returns our side of the code flow with the provider.
func (e *external) config(provider *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: e.options.ClientID, ClientSecret: e.options.ClientSecret, RedirectURL: e.redirect,
		Endpoint: provider.Endpoint(), Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
}

// profile holds the provider's claims about a person.
type profile struct {
	Issuer   string       `json:"-"` // from the verified token, not from the claims
	Subject  string       `json:"-"` // the permanent id there; an e-mail address may change
	Email    string       `json:"email"`
	Verified flexibleBool `json:"email_verified"`
	Name     string       `json:"name"`
}

// flexibleBool reads true and "true", because some providers send booleans as strings.
type flexibleBool bool

// UnmarshalJSON implements json.Unmarshaler. Every other value is false.
func (b *flexibleBool) UnmarshalJSON(text []byte) error {
	*b = string(text) == "true" || string(text) == `"true"`
	return nil
}

// The faults of an ID token with a valid signature.
var (
	errNonce   = errors.New("the ID token has another nonce")
	errSubject = errors.New("the ID token has no subject") // people without one would share an account
)

// profile exchanges the code and returns the claims of the verified ID token.
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
	raw, _ := token.Extra("id_token").(string)
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
