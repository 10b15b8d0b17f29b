package oauth

import (
	"errors"
	"net/http"

	"portico/model"
)

// maxBody is the largest request in bytes.
const maxBody = 64 << 10

// endpoint answers one method, for the pages of every site, with JSON.
func (s *Server) endpoint(method string, handle func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if allowOrigins(w.Header(), r.Method) {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if r.Method != method && (method != http.MethodGet || r.Method != http.MethodHead) {
			w.Header().Set("Allow", method)
			s.fail(w, r, &refusal{Code: invalidRequest, Description: "The method must be " + method, status: http.StatusMethodNotAllowed})
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := handle(w, r); err != nil {
			s.fail(w, r, err)
		}
	})
}

// allowOrigins sets the headers of CORS and tells whether the request is a
// preflight. No cookie is read here, so any site may ask (contract, CORS).
func allowOrigins(h http.Header, method string) bool {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "Retry-After, WWW-Authenticate, Mcp-Session-Id, X-Request-Id")
	if method != http.MethodOptions {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
	h.Set("Access-Control-Allow-Headers", "authorization, content-type, accept, "+
		"mcp-session-id, mcp-protocol-version, last-event-id, mcp-method, mcp-name")
	h.Set("Access-Control-Max-Age", "86400")
	return true
}

// fail answers with the error, and logs it when it is ours.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	refused, ok := errors.AsType[*refusal](err)
	if !ok {
		s.log.Error("oauth", "error", err, "path", r.URL.Path, "request_id", model.RequestID(r.Context()))
		refused = internal()
	}
	if refused.status == http.StatusUnauthorized && r.Header.Get("Authorization") != "" {
		w.Header().Set("WWW-Authenticate", `Basic realm="Portico"`) // RFC 6749 section 5.2
	}
	if err := answer(w, refused.status, refused); err != nil {
		s.log.Error("oauth", "error", err)
	}
}
