package rest

import "net/http"

// CORS lets the pages of every site call the API and read its answers, errors
// too (contract, Bodies and errors). It answers preflights itself: a browser
// sends them without a key. Callers are told apart by a key in a header, never
// by a cookie, so nothing is given away by it.
func CORS(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "Retry-After, WWW-Authenticate, Mcp-Session-Id, X-Request-Id")
		if r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
		// A "*" would not cover authorization (Fetch standard, CORS protocol).
		h.Set("Access-Control-Allow-Headers", "authorization, content-type, accept, "+
			"mcp-session-id, mcp-protocol-version, last-event-id, mcp-method, mcp-name")
		h.Set("Access-Control-Max-Age", "86400") // browsers cut it to what they allow
		w.WriteHeader(http.StatusNoContent)
	})
}
