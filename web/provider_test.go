package web

import (
	"net/http"
	"testing"

	"portico/internal/testkit/openid"
)

// provider is an OpenID Connect provider of the test's own.
type provider struct{ *openid.Provider }

func newProvider(t *testing.T) *provider {
	t.Helper()
	return &provider{openid.Start(t)}
}

func (p *provider) options() *OIDCOptions {
	return &OIDCOptions{Issuer: p.URL(), ClientID: openid.ClientID, ClientSecret: openid.ClientSecret}
}

// signIn runs the whole flow and returns the last response.
func (p *provider) signIn(b *browser) response {
	started := b.wantStatus(b.get("/login/external"), http.StatusFound)
	return b.get(p.Agree(started.location()))
}
