// Package cors lets the scripts of every site call the server and read its answers,
// errors too (contract, Bodies and errors). It is for handlers that no cookie speaks
// to: callers prove who they are by a key in a header or by a signed address, so an
// open policy gives nothing away.
package cors

import "net/http"

// maxAge is how many seconds a browser may keep the answer to a preflight. Browsers
// cut it to their own limit.
const maxAge = "86400"

// Policy is what scripts of other sites may send and read. Each field is a list
// separated by commas, as headers have it.
type Policy struct {
	// Methods are the methods of requests.
	Methods string
	// Headers are the headers of requests. A "*" does not cover Authorization
	// (Fetch standard, CORS protocol).
	Headers string
	// Exposed are the headers of answers, beyond those that scripts can always read.
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

// Handler answers preflights, which browsers send without a key, and hands all other
// requests to next with the headers of an answer set.
func (p Policy) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.Allow(w.Header())
		if r.Method == http.MethodOptions {
			p.Preflight(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Allow sets the headers of an answer.
func (p Policy) Allow(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", p.Exposed)
}

// Preflight answers OPTIONS with 204. The headers of Allow are set before.
func (p Policy) Preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", p.Methods)
	h.Set("Access-Control-Allow-Headers", p.Headers)
	h.Set("Access-Control-Max-Age", maxAge)
	w.WriteHeader(http.StatusNoContent)
}
