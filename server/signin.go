package server

import (
	"cmp"
	"net/http"

	"portico/auth/account"
	"portico/limit"
	"portico/model"
	"portico/oauth"
	"portico/server/settings"
	"portico/web"
	"portico/web/style"
)

// openSite creates the site where people sign in.
func (p *Program) openSite(accounts *account.Registry, limiter *limit.Limiter, brand style.Brand) (*web.Site, error) {
	site, err := web.New(web.Options{
		DB: p.DB, Keys: p.Keys, Accounts: accounts, BaseURL: p.BaseURL(), Brand: brand, OIDC: oidcOptions(p.Config),
		ClientOf:       func(r *http.Request) string { return string(limiter.AddressSubject(r)) },
		CountOperation: limiter.TakeOperation, Unlimited: !p.Config.RateLimits.On(), Logger: p.Logger,
	})
	if err != nil {
		return nil, err
	}
	p.onClose("sign-in site", func() error {
		site.Close()
		return nil
	})
	return site, nil
}

// signIn returns a handler that serves OAuth and the pages of the site, and calls next for all
// other paths. It must wrap the doors, because some of its paths are below /api.
//
// OAuth comes before the pages, and both before the doors: /authorize is a page that needs a
// session.
func (a *application) signIn(next http.Handler) http.Handler {
	server := oauth.New(oauth.Options{
		DB: a.DB, Keys: a.Keys, Site: a.site, BaseURL: a.BaseURL(),
		OffersDocuments: a.egress.offersDocuments, NoDocuments: a.Config.ClientDocuments == settings.DocumentsOff,
		Unlimited: !a.Config.RateLimits.On(), Logger: a.Logger,
	})
	return server.Handler(a.site.Handler(next))
}

// planOfPeople returns the plan of who signs up in a browser. Plans do not exist for people until the
// operator turns them on.
func (p *Program) planOfPeople() model.Plan { return cmp.Or(model.Plan(p.Config.Plan), model.PlanPro) }

// newAccounts returns the registry of accounts, with the rules that the operator has chosen.
func (p *Program) newAccounts() (*account.Registry, error) {
	firstCode, err := p.firstAccountCode()
	if err != nil {
		return nil, err
	}
	accounts, err := account.New(account.Options{
		DB: p.DB, Keys: p.Keys, BaseURL: p.BaseURL(), Signup: p.Config.Signup.On(), Plan: p.planOfPeople(), Quota: int64(p.Config.DefaultQuota),
		FirstCode: firstCode, SendsMail: p.Config.SMTPURL != "", RenewSession: web.RenewSession,
		Unlimited: !p.Config.RateLimits.On(), Logger: p.Logger,
	})
	if err == nil && !accounts.HasPasskeys() {
		p.Logger.Info("passkeys are off, because they need an address with a domain name: set PORTICO_BASE_URL", "url", p.BaseURL())
	}
	return accounts, err
}

// oidcOptions returns the options of the OpenID Connect provider, or nil if none is configured.
func oidcOptions(c settings.Config) *web.OIDCOptions {
	if c.OIDCIssuer == "" {
		return nil
	}
	return &web.OIDCOptions{
		Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCClientSecret, TrustEmail: c.OIDCTrustEmail.On(),
	}
}
