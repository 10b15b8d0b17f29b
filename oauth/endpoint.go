package oauth

import (
	"errors"
	"net/http"
	"slices"

	"portico/internal/cors"
	"portico/internal/method"
	"portico/model"
	"portico/web"
)

// maxBody is the maximum size of a request body in bytes.
const maxBody = 64 << 10

// endpoint returns the handler of a path that responds to one method in JSON, for pages of every
// origin.
func (s *Server) endpoint(allowed string, handle func(http.ResponseWriter, *http.Request) error) http.Handler {
	methods := method.WithHead(allowed)
	return cors.API().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(methods, r.Method) {
			status := method.Refuse(w.Header(), methods...)
			s.fail(w, r, &refusal{Code: invalidRequest, Description: "The method must be " + allowed, status: status})
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := handle(w, r); err != nil {
			s.fail(w, r, err)
		}
	}))
}

// fail responds with the error, and logs it if it is not a refusal.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	refused, ok := errors.AsType[*refusal](err)
	if !ok {
		model.LogFault(r.Context(), s.log, err, "door", "oauth", "path", r.URL.Path)
		e := model.AsError(err)
		if e.Code != model.CodeInternal {
			e = &model.Error{Code: model.CodeInternal, Message: model.InternalMessage}
		}
		if e.IsOutage() {
			web.SetRetryAfter(w.Header(), e.RetryAfter)
		}
		refused = internalRefusal(e)
	}
	if refused.status == http.StatusUnauthorized && r.Header.Get("Authorization") != "" {
		w.Header().Set("WWW-Authenticate", `Basic realm="Portico"`) // RFC 6749 section 5.2
	}
	if err := respond(w, refused.status, refused); err != nil {
		model.LogFault(r.Context(), s.log, err, "door", "oauth", "path", r.URL.Path)
	}
}
