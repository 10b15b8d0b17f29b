package web

import (
	"net/http"
	"strconv"
	"time"

	"portico/model"
)

// fail renders the error page, and logs the error if it is internal.
func (s *Site) fail(w http.ResponseWriter, r *http.Request, err error) {
	shown := model.AsError(err)
	model.LogFault(r.Context(), s.log, err, "door", "page", "path", r.URL.Path)
	if shown.Code == model.CodeRateLimited {
		SetRetryAfter(w.Header(), shown.RetryAfter)
	}
	s.ShowError(w, r, shown.Code.HTTPStatus(), shown.Message)
}

// ShowError answers with the error page. The message is for people: it has a capital, no full
// stop and no internals.
func (s *Site) ShowError(w http.ResponseWriter, r *http.Request, status int, message string) {
	page := errorPage{Status: status, Message: message, IsDisabled: message == model.AccountDisabled}
	if err := s.render(w, r, status, "error", "Something went wrong", page); err != nil {
		model.LogFault(r.Context(), s.log, err, "door", "page", "path", r.URL.Path)
	}
}

// errorPage is the content of error.html.
type errorPage struct {
	Status     int
	Message    string
	IsDisabled bool // whether the account is disabled, so that only another one can sign in
}

// SetRetryAfter sets the Retry-After header to whole seconds, rounded up.
func SetRetryAfter(h http.Header, wait time.Duration) {
	h.Set("Retry-After", strconv.Itoa(model.RetrySeconds(wait)))
}
