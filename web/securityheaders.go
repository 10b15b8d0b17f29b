package web

import "net/http"

// policy is the Content-Security-Policy of every page. It allows no inline code, and no content
// from other hosts.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
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

// allowFormTo lets the answer to a form redirect to the origin. Browsers also apply form-action to
// redirects.
func allowFormTo(h http.Header, origin string) {
	h.Set("Content-Security-Policy", policy+" "+origin)
}
