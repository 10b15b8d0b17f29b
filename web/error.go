package web

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"portico/auth/account"
	"portico/model"
)

// fail renders the error page, and logs the error if it is internal.
func (s *Site) fail(w http.ResponseWriter, r *http.Request, err error) {
	shown := model.AsError(err)
	model.LogFault(r.Context(), s.log, err, "door", "page", "path", r.URL.Path)
	if shown.Code == model.CodeRateLimited || shown.IsOutage() {
		SetRetryAfter(w.Header(), shown.RetryAfter)
	}
	s.showError(w, r, errorPage{
		Status: shown.HTTPStatus(), Message: s.sayError(r, err), IsDisabled: errors.Is(err, account.ErrDisabled),
	})
}

// showError responds with the error page.
func (s *Site) showError(w http.ResponseWriter, r *http.Request, page errorPage) {
	if err := s.render(w, r, pageResponse{page.Status, "error", "Something went wrong"}, page); err != nil {
		model.LogFault(r.Context(), s.log, err, "door", "page", "path", r.URL.Path)
	}
}

// errorPage is the content of error.html.
type errorPage struct {
	Status     int
	Message    string // for people: it has a capital, no full stop and no internals
	IsDisabled bool   // whether the account is disabled, so that only another one can sign in
}

// RefuseInText sends the error as plain text, where the client expects a file or a program
// sent the request. It does not log the error.
func RefuseInText(w http.ResponseWriter, err error) {
	shown := model.AsError(err)
	if shown.Code == model.CodeRateLimited || shown.IsOutage() {
		SetRetryAfter(w.Header(), shown.RetryAfter)
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, shown.Message, shown.HTTPStatus())
}

// SetRetryAfter sets the Retry-After header to whole seconds, rounded up.
func SetRetryAfter(h http.Header, wait time.Duration) {
	h.Set("Retry-After", strconv.Itoa(model.RetrySeconds(wait)))
}
