package web

import (
	"maps"
	"net/http"
	"slices"

	"portico/internal/method"
	"portico/model"
)

// maxForm is the maximum size of a form in bytes. Our forms have a few short fields.
const maxForm = 64 << 10

// Handler responds to a request for a page, or returns an error that the error page shows.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Methods are the handlers of a page by method. GET serves HEAD as well.
type Methods map[string]Handler

// Page returns the handler of a page. It adds the session, security headers, and the refusal of
// forms from other sites.
//
// The order: security headers, then the check for forms of other sites, then the body, then the
// session, then the handler. A refused form reads and changes nothing.
func (s *Site) Page(m Methods) http.Handler {
	inner := s.sessions.LoadAndSave(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.serve(m, w, r); err != nil {
			s.fail(w, r, err)
		}
	}))
	// The check comes before the session, so that a forged request cannot change it.
	checked := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setSecurityHeaders(w.Header())
		s.rememberLanguage(w, r)
		if err := s.crossOrigin.Check(r); err != nil {
			s.fail(w, r, model.Forbidden("This form was sent from another site"))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		// The form is also read before the session: it may arrive minutes after the headers,
		// and a session that has ended by then gives no access.
		if r.Method == http.MethodPost && r.ParseForm() != nil {
			s.fail(w, r, model.Invalidf("The form could not be read"))
			return
		}
		inner.ServeHTTP(w, r)
	})
	return checked
}

// serve calls the handler of the request's method. For a POST, the form is in PostForm.
func (s *Site) serve(m Methods, w http.ResponseWriter, r *http.Request) error {
	name := r.Method
	if name == http.MethodHead {
		name = http.MethodGet // net/http omits the body
	}
	handle, ok := m[name]
	if !ok {
		status := method.Refuse(w.Header(), method.WithHead(slices.Collect(maps.Keys(m))...)...)
		s.showError(w, r, errorPage{Status: status, Message: s.say(r, "This page does not accept {method} requests", "method", r.Method)})
		return nil
	}
	return handle(w, r)
}

// Redirect redirects the browser, which then sends a GET. It does not use http.Redirect, because
// that rewrites the address.
func Redirect(w http.ResponseWriter, r *http.Request, address string) error {
	status := http.StatusFound
	if r.Method == http.MethodPost {
		status = http.StatusSeeOther // the browser must not send the form again (RFC 9700 section 4.12)
	}
	w.Header().Set("Location", address)
	w.WriteHeader(status)
	return nil
}
