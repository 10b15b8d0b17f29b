package console_test

import (
	"os"
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/mailbox"
	"portico/internal/testkit/openid"
)

// TestIdentities_in_a_browser signs in and up through an OpenID Connect provider. The first sign-in
// connects the identity to the account with the same address. The console shows, connects and
// disconnects it, but not while it is the only way to sign in. It also changes the address of an
// account.
func TestIdentities_in_a_browser(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	provider := openid.Start(t)
	post := mailbox.Start(t)
	w, _ := open(t, "--addr=localhost:0", "--oidc-issuer="+provider.URL(), "--oidc-client-id="+openid.ClientID, "--oidc-secret="+openid.ClientSecret,
		"--smtp-url="+post.URL(), "--smtp-from=Portico <portico@example.com>")
	w.StartWorker(t)
	arguments := []string{w.BaseURL(), serveLinks(t, post), email, password}
	if pictures := os.Getenv("PORTICO_PICTURES"); pictures != "" {
		arguments = append(arguments, pictures)
	}
	out, err := scripts.Run(t.Context(), browser.Command{Script: "identity.mjs", Args: arguments})
	if err != nil || out.Text() != "done\n" {
		t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}
