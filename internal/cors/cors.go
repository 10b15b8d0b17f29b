// Package cors allows the scripts of every site to call the server and to read its responses,
// including errors (docs/rest.md, Responses). It is for handlers that accept no cookie:
// their callers authenticate with a key in a header or with a signed URL, which a foreign
// site does not have, so the open policy is safe.
package cors

import (
	"net/http"
	"regexp"
	"strings"
)

// maxAge is how many seconds browsers may cache the response to a preflight. They apply a
// lower limit of their own.
const maxAge = "86400"

// maxRequestedHeaders limits the names of headers that the response to a preflight allows, in
// bytes.
const maxRequestedHeaders = 2000

// headerNames matches a list of names (RFC 9110 section 5.6.2, token).
var headerNames = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+( *, *[A-Za-z0-9!#$%&'*+.^_`|~-]+)*$")

// Policy lists what scripts of other sites may send and read. Each field is the value of a
// header: a list separated by commas.
type Policy struct {
	// Methods are the methods of requests that browsers may send.
	Methods string
	// Headers are the headers of requests. A "*" does not cover Authorization
	// (Fetch standard, CORS protocol).
	Headers string
	// AnyHeader allows all headers that a preflight names, in addition to Headers.
	AnyHeader bool
	// Exposed are the response headers that scripts can read, in addition to the ones
	// that the Fetch standard exposes.
	Exposed string
}

// API returns the policy of the doors and of OAuth. Its headers are the ones of MCP's
// versions up to 2026-07-28.
func API() Policy {
	return Policy{
		Methods: "GET, POST, PUT, DELETE",
		Headers: "authorization, content-type, accept, " +
			"mcp-session-id, mcp-protocol-version, last-event-id, mcp-method, mcp-name",
		Exposed: "Retry-After, WWW-Authenticate, Mcp-Session-Id, X-Request-Id",
	}
}

// GraphQL returns the policy of GraphQL. Its clients send headers of their own, such as the
// ones of Apollo and of tracing (traceparent), so it allows all headers. A request with a
// header that a site invents can do no more than one without.
func GraphQL() Policy {
	policy := API()
	policy.AnyHeader = true
	return policy
}

// Handler responds to preflights, which browsers send without a key, and passes all other
// requests to next with the headers of Allow set.
func (p Policy) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.Allow(w.Header())
		if r.Method == http.MethodOptions {
			p.Preflight(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Allow sets the CORS headers of a response.
func (p Policy) Allow(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", p.Exposed)
}

// Preflight responds to OPTIONS with 204. Call Allow first.
func (p Policy) Preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", p.Methods)
	h.Set("Access-Control-Allow-Headers", p.Headers)
	if requested := strings.Join(r.Header.Values("Access-Control-Request-Headers"), ", "); p.AnyHeader {
		h.Set("Vary", "Access-Control-Request-Headers")
		if len(requested) <= maxRequestedHeaders && headerNames.MatchString(requested) {
			h.Set("Access-Control-Allow-Headers", p.Headers+", "+strings.ToLower(requested))
		}
	}
	h.Set("Access-Control-Max-Age", maxAge)
	w.WriteHeader(http.StatusNoContent)
}
