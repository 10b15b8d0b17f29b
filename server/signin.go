package server

import (
	"net/http"

	"portico/auth"
	"portico/model"
	"portico/oauth"
	"portico/web"
)

// signInSite returns the site where people sign in, and a middleware that answers its pages and
// OAuth. The middleware must wrap the doors, because some of its paths are below /api.
//
// OAuth comes before the pages, and both before the doors: /authorize is a page that needs a
// session.
func (p *Program) signInSite() (*web.Site, func(next http.Handler) http.Handler, error) {
	firstCode, err := p.firstAccountCode()
	if err != nil {
		return nil, nil, err
	}
	site, err := web.New(web.Options{
		DB: p.DB, Keys: p.Keys, Passwords: auth.NewPasswords(), BaseURL: p.BaseURL(),
		Signup: p.Config.Signup.On(), FirstAccountCode: firstCode, DefaultQuota: int64(p.Config.DefaultQuota), Plan: model.Plan(p.Config.Plan), OIDC: p.Config.oidc(),
		SendsMail: p.Config.SMTPURL != "",
		Limiter:   p.limiter, Unlimited: !p.Config.RateLimits.On(), Logger: p.Logger,
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

// oidc returns the options of the OpenID Connect provider, or nil if none is configured.
func (c *Config) oidc() *web.OIDCOptions {
	if c.OIDCIssuer == "" {
		return nil
	}
	return &web.OIDCOptions{Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCSecret}
}
