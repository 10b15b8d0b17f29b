package web

import (
	"net/http"
	"net/url"
	"strings"

	"portico/internal/publicnet"
	"portico/model"
)

// Consent describes the client that asks a person for their API key.
type Consent struct {
	// Client is the name that the client claims. It is not verified.
	Client string
	// Publisher is the host of the document that describes the client, which TLS has
	// verified; "" for a client that registered itself.
	Publisher string
	// RedirectURI is the address that gets the key. The page shows its host.
	RedirectURI *url.URL
	// Problem is the error of the last answer, or "".
	Problem string
}

// consentPage is the content of consent.html.
type consentPage struct {
	Client      string // "" for a client without a name
	Publisher   string // as in Consent
	Host        string // of RedirectURI, with the port
	Loopback    bool   // whether the client runs on the person's machine
	Unencrypted bool   // whether the key crosses the network unencrypted
	Problem     string
	User        *model.User // the owner of the key
	Action      string      // the address of the form, which is the address of the request
	FormToken   string      // proves that the form comes from this page
}

// Answer is a person's answer to a Consent.
type Answer int

// NotAsked is the zero value: without a valid form, nobody has allowed anything.
const (
	NotAsked Answer = iota // the form is not from ShowConsent for this session and request
	Denied
	Allowed
)

// ConsentAnswer returns the answer in the form of a POST.
//
// The form token is an HMAC over the request with a key of the session. A page of another site has
// neither, so it cannot make a browser answer, not even with a click (see frame-ancestors in
// policy).
func (s *Site) ConsentAnswer(r *http.Request) Answer {
	switch {
	case !s.isFormTokenValid(r, consentSubject(r), r.PostForm.Get("form_token")):
		return NotAsked
	case r.PostForm.Get("decision") == "allow":
		return Allowed
	}
	return Denied
}

// consentSubject returns the text that a form token signs: the request. Encode sorts the
// parameters, so that the browser cannot change their order.
func consentSubject(r *http.Request) string { return "consent?" + r.URL.Query().Encode() }

// ShowConsent renders the consent page. Its form is sent to the same address with POST.
//
// allowFormTo lets the redirect after the answer leave for the client: browsers apply form-action
// to it.
func (s *Site) ShowConsent(w http.ResponseWriter, r *http.Request, user *model.User, c Consent) error {
	host := c.RedirectURI.Hostname()
	page := consentPage{
		Client: model.RemoveInvisible(c.Client), Publisher: c.Publisher, Host: c.RedirectURI.Host, Problem: c.Problem, User: user,
		Loopback: publicnet.IsLoopback(host), Action: AddressOf(r), FormToken: s.formToken(r, consentSubject(r)),
	}
	page.Unencrypted = c.RedirectURI.Scheme == "http" && !page.Loopback
	allowFormTo(w.Header(), formTarget(c.RedirectURI))
	status := http.StatusOK
	if c.Problem != "" {
		status = http.StatusForbidden
	}
	return s.render(w, r, pageResponse{status, "consent", s.withProblem(r, "Give access", c.Problem != "")}, page)
}

// formTarget returns the origin of the address as a source expression of a Content-Security-Policy.
// Source expressions cannot contain IPv6 hosts (CSP level 3 section 2.3.1), so for such a host it
// returns the scheme.
func formTarget(u *url.URL) string {
	if strings.Contains(u.Host, "[") {
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}
