package web

import (
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"portico/model"
)

// Consent is the question to a person before a client gets their API key.
type Consent struct {
	// Client is the name that the client gives itself. Nobody has verified it.
	Client string
	// Publisher is the host of the document that describes the client, which TLS has
	// verified; "" for a client that registered itself.
	Publisher string
	// RedirectURI is where the key is sent. The page names its host.
	RedirectURI *url.URL
	// Problem is the error of the last answer, or "".
	Problem string
}

// consentPage is the content of consent.html.
type consentPage struct {
	Client    string // "" for a client without a name
	Publisher string // as in Consent
	Host      string // with its port
	Loopback  bool   // whether the key stays on the person's own machine
	Clear     bool   // whether the key crosses the network unencrypted
	Problem   string
	User      *model.User // whose key it is
	Action    string      // the address that the form is sent to: this request again
	Ticket    string      // proves that the form comes from this page
}

// Answer is a person's answer to a Consent.
type Answer int

// The answers.
const (
	NotAsked Answer = iota // ShowConsent did not create the form for this session and request
	Denied
	Allowed
)

// ConsentAnswer returns the answer in the form of a POST.
func (s *Site) ConsentAnswer(r *http.Request) Answer {
	switch {
	case !s.ticketFits(r, consentSubject(r), r.PostForm.Get("ticket")):
		return NotAsked
	case r.PostForm.Get("decision") == "allow":
		return Allowed
	}
	return Denied
}

// consentSubject returns the request that a ticket is for. Encode sorts the parameters, so
// the text is the same after its way through the browser.
func consentSubject(r *http.Request) string { return "consent?" + r.URL.Query().Encode() }

// ShowConsent asks the user. The form is sent to the same address by POST.
func (s *Site) ShowConsent(w http.ResponseWriter, r *http.Request, user *model.User, c Consent) error {
	host := c.RedirectURI.Hostname()
	page := consentPage{
		Client: visible(c.Client), Publisher: c.Publisher, Host: c.RedirectURI.Host, Problem: c.Problem, User: user,
		Loopback: IsLoopback(host), Action: Here(r), Ticket: s.ticket(r, consentSubject(r)),
	}
	page.Clear = c.RedirectURI.Scheme == "http" && !page.Loopback
	allowFormTo(w.Header(), formTarget(c.RedirectURI))
	status := http.StatusOK
	if c.Problem != "" {
		status = http.StatusForbidden
	}
	return s.show(w, r, status, "consent", withProblem("Give access", c.Problem), page)
}

// formTarget returns the address as a source expression of a Content-Security-Policy. These
// cannot express IPv6 hosts (CSP level 3 section 2.3.1), so an IPv6 address becomes its
// scheme.
func formTarget(u *url.URL) string {
	if strings.Contains(u.Host, "[") {
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}

// visible removes invisible characters and characters that change the direction of text: with
// them one name could look like another.
func visible(name string) string {
	name = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Cc, c) || unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, name)
	return strings.TrimSpace(name)
}
