package server

import (
	"net/http"

	"portico/auth/account"
	"portico/model"
	"portico/oauth"
	"portico/web"
)

// signInSite returns the site where people sign in, and a middleware that answers its pages and
// OAuth. The middleware must wrap the doors, because some of its paths are below /api.
//
// OAuth comes before the pages, and both before the doors: /authorize is a page that needs a
// session.
func (p *Program) signInSite(accounts *account.Registry) (*web.Site, func(next http.Handler) http.Handler, error) {
	site, err := web.New(web.Options{
		DB: p.DB, Keys: p.Keys, Accounts: accounts, BaseURL: p.BaseURL(), OIDC: p.Config.oidc(),
		ClientOf:       func(r *http.Request) string { return string(p.limiter.AddressSubject(r)) },
		CountOperation: p.limiter.TakeOperation, Unlimited: !p.Config.RateLimits.On(), Logger: p.Logger,
	})
	if err != nil {
		return nil, nil, err
	}
	server := oauth.New(oauth.Options{
		DB: p.DB, Keys: p.Keys, Site: site, BaseURL: p.BaseURL(),
		Unlimited: !p.Config.RateLimits.On(), Logger: p.Logger,
	})
	return site, func(next http.Handler) http.Handler { return server.Handler(site.Handler(next)) }, nil
}

// accounts returns the registry of accounts, with the rules that the operator has chosen.
func (p *Program) accounts() (*account.Registry, error) {
	firstCode, err := p.firstAccountCode()
	if err != nil {
		return nil, err
	}
	return account.New(account.Options{
		DB: p.DB, Keys: p.Keys, BaseURL: p.BaseURL(), Signup: p.Config.Signup.On(), Plan: model.Plan(p.Config.Plan), Quota: int64(p.Config.DefaultQuota),
		FirstCode: firstCode, SendsMail: p.Config.SMTPURL != "", RenewSession: web.RenewSession,
		Unlimited: !p.Config.RateLimits.On(), Logger: p.Logger,
	})
}

// oidc returns the options of the OpenID Connect provider, or nil if none is configured.
func (c *Config) oidc() *web.OIDCOptions {
	if c.OIDCIssuer == "" {
		return nil
	}
	return &web.OIDCOptions{Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCSecret}
}
