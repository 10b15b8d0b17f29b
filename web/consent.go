package web

import (
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"portico/model"
)

// Consent is what a person is asked before a client gets their API key.
type Consent struct {
	// Client is what the client calls itself, which nobody has checked.
	Client string
	// Publisher is the host that describes the client, which is checked; "" for a
	// client that registered itself.
	Publisher string
	// RedirectURI is where the key goes. Its host is named.
	RedirectURI *url.URL
	// Problem is what was wrong with the last answer, or "".
	Problem string
}

// consentPage is what the page of that name shows.
type consentPage struct {
	Client string // "" for one that gives no name
	// Publisher is the host that describes the client, or "".
	Publisher string
	Host      string // with its port
	Loopback  bool   // the key stays on the person's own machine
	Clear     bool   // the key goes over the network in the clear
	Problem   string
	User      *model.User // whose key it is
	Action    string      // where the answer goes: this request again
	Ticket    string      // shows that the answer is one to this page
}

// Answer is what a person answered to a Consent.
type Answer int

// The answers.
const (
	NotAsked Answer = iota // the form is not one that ShowConsent made for this session and request
	Denied
	Allowed
)

// ConsentAnswer returns the answer that a request by POST brings.
func (s *Site) ConsentAnswer(r *http.Request) Answer {
	switch {
	case !s.ticketFits(r, consentSubject(r), r.PostForm.Get("ticket")):
		return NotAsked
	case r.PostForm.Get("decision") == "allow":
		return Allowed
	}
	return Denied
}

// consentSubject is the request that was shown, in a form that does not change
// on its way through the browser.
func consentSubject(r *http.Request) string { return "consent?" + r.URL.Query().Encode() }

// ShowConsent asks the user. The answer comes to the same address, by POST.
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
	return s.show(w, status, "consent", withProblem("Give access", c.Problem), page)
}

// formTarget returns the source expression of the address. There is none for
// IPv6 (CSP level 3 section 2.3.1), so its scheme has to do.
func formTarget(u *url.URL) string {
	if strings.Contains(u.Host, "[") {
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}

// visible drops what would make a name look like another one: characters without
// a shape of their own, and those that turn the direction of text.
func visible(name string) string {
	name = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Cc, c) || unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, name)
	return strings.TrimSpace(name)
}
