package web

import (
	"net/http"
	"net/url"
	"strings"
)

// policy is the Content-Security-Policy of every page. It allows no inline code, and no content
// from other hosts.
const policy = "default-src 'none'; font-src 'self'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; frame-ancestors 'none'; form-action 'self'"

// setSecurityHeaders sets the headers of every page. There is no Cross-Origin-Opener-Policy:
// clients open the pages in pop-ups.
func setSecurityHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY") // for browsers without frame-ancestors
	h.Set("X-Content-Type-Options", "nosniff")
	// Not "no-referrer", with which browsers send "Origin: null" with our own forms.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// allowFetch lets scripts of the page call this server.
func allowFetch(h http.Header) { h.Set("Content-Security-Policy", "connect-src 'self'; "+policy) }

// allowFormTo lets the response to a form redirect to the origin. Browsers also apply form-action
// to redirects.
func allowFormTo(h http.Header, origin string) {
	h.Set("Content-Security-Policy", policy+" "+origin)
}

// plainHostCharacters are the characters of names and IP addresses in ASCII. International names
// have this form in Punycode.
const plainHostCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:"

// HasPlainHost reports whether the host of an address is a name or an IP address. Such a host has
// no character that ends a source expression of a Content-Security-Policy, so a policy can name it.
func HasPlainHost(address *url.URL) bool {
	host := address.Hostname()
	return host != "" && strings.Trim(host, plainHostCharacters) == ""
}
