package account

import (
	"strings"
	"testing"

	"portico/model"
)

// A passkey belongs to a domain name.
func TestPasskeys_need_a_domain_name(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]bool{
		"https://portico.example": true, "http://localhost:8080": true,
		"https://nas.home.arpa": true, "https://xn--bcher-kva.example": true,
		"http://127.0.0.1:8080": false, "http://[::1]:8080": false, "": false,
		"http://nas:8080": false, "https://nas": false, "https://xn--bcher-kva": false, "https://portico.example.": false,
	} {
		w := newWorld(t, func(o *Options) { o.BaseURL = base })
		caller := w.signIn(w.addUser("ada@example.com"))
		if got := w.registry.HasPasskeys(); got != want {
			t.Errorf("%q has passkeys: got %v, want %v", base, got, want)
		}
		_, startErr := w.registry.StartPasskey(t.Context(), caller)
		_, signInErr := w.registry.StartPasskeySignIn(t.Context())
		if want {
			check(t, startErr)
			check(t, signInErr)
			continue
		}
		_, authenticateErr := w.registry.AuthenticatePasskey(t.Context(), []byte("{}"))
		for name, err := range map[string]error{
			"start": startErr, "add": w.registry.AddPasskey(t.Context(), caller, "Phone", []byte("{}")),
			"start to sign in": signInErr, "sign in": authenticateErr,
		} {
			if model.CodeOf(err) != model.CodeForbidden {
				t.Errorf("%q, %s: got %v, want %s", base, name, err, model.CodeForbidden)
			}
		}
	}
}

func TestNew_refuses_a_base_that_is_not_an_address(t *testing.T) {
	t.Parallel()
	if _, err := New(Options{BaseURL: ":"}); err == nil {
		t.Error("got no error, want one")
	}
}

// The device must be able to sign in alone, without the name of an account.
func TestStartPasskey_requires_a_passkey_that_verifies_its_user(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.BaseURL = "https://portico.example" })
	options, err := w.registry.StartPasskey(t.Context(), w.signIn(w.addUser("ada@example.com")))
	check(t, err)
	for _, want := range []string{`"residentKey":"required"`, `"userVerification":"required"`, `"id":"portico.example"`, `"name":"ada@example.com"`} {
		if !strings.Contains(string(options), want) {
			t.Errorf("options: got no %s in %s", want, options)
		}
	}
}
