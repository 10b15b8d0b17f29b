package place

import (
	"net/http"
	"strings"
)

// policies are the Content-Security-Policies of the pages. None allows inline code or eval.
type policies struct {
	// list is for pages without a script, which show pictures of spaces.
	list string
	// space is for the page of a space, and embed for its form in frames of other sites.
	space, embed string
}

// newPolicies returns the policies for files at these origins.
func newPolicies(base string, origins []string) policies {
	files := ""
	for _, origin := range origins {
		files += " " + origin
	}
	// Gates show web pages in frames; a server without TLS may be on a network without it.
	frames := " https:"
	if strings.HasPrefix(base, "http:") {
		frames += " http:"
	}
	// Lists run no script. Lighthouse reads robots.txt as if the page did.
	list := "default-src 'none'; style-src 'self'; img-src 'self' data:" + files + "; connect-src 'self'; base-uri 'none'; form-action 'self'"
	// The engine sorts Gaussians in a worker and reads the pictures of models, both from
	// addresses that it makes itself.
	space := "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:" + files +
		"; connect-src 'self' blob: data:" + files + "; media-src 'self' blob:" + files +
		"; worker-src 'self' blob:; frame-src 'self'" + files + frames + "; base-uri 'none'; form-action 'self'"
	return policies{
		list: list + "; frame-ancestors 'none'", space: space + "; frame-ancestors 'none'", embed: space + "; frame-ancestors *",
	}
}

// protect sets the security headers of a page.
func (p *Pages) protect(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	// The address of a Link Only space is a secret that links must not give away.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
	if policy == p.policies.embed {
		h.Del("X-Frame-Options")
	}
}
