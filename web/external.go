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
	// Issuer is the provider's address; what it says of itself is read below it
	// at the first sign-in.
	Issuer string
	// ClientID and ClientSecret are what the provider gave us. It must know
	// BASE_URL/login/callback as our redirect URI. The secret may be empty.
	ClientID     string
	ClientSecret string
	// HTTPClient reaches the provider; nil is one with a time limit.
	HTTPClient *http.Client
}

// providerTimeout bounds each request to the provider.
const providerTimeout = 10 * time.Second

// external is a provider. Its endpoints are read when it is first needed.
type external struct {
	options  OIDCOptions
	host     string // of the issuer, as the button names it
	redirect string // our callback

	mu       sync.Mutex
	provider *oidc.Provider // nil until it has answered
}

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

// discover returns the provider. One that could not be reached is asked again
// the next time; nobody waits for another's try, so no lock is held meanwhile.
func (e *external) discover() (*oidc.Provider, error) {
	if known := e.known(); known != nil {
		return known, nil
	}
	// Not the request's context: the provider keeps it to fetch keys with later.
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

// context returns one with which the libraries use our HTTP client.
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

// profile is what the provider says of a person.
type profile struct {
	Issuer   string  `json:"-"` // of the checked token, not of the claims
	Subject  string  `json:"-"` // who it is there, for good; an address may change
	Email    string  `json:"email"`
	Verified boolish `json:"email_verified"`
	Name     string  `json:"name"`
}

// boolish reads true and "true": some providers write claims as text.
type boolish bool

// UnmarshalJSON implements json.Unmarshaler. What is neither is false.
func (b *boolish) UnmarshalJSON(text []byte) error {
	*b = string(text) == "true" || string(text) == `"true"`
	return nil
}

// What is wrong with an ID token that is signed all the same.
var (
	errNonce   = errors.New("the ID token has another nonce")
	errSubject = errors.New("the ID token has no subject") // all who have none would share an account
)

// profile exchanges the code and returns what the ID token says, checked.
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
