package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"portico/model"
)

// maxForm is the largest form in bytes; ours have a few short fields.
const maxForm = 64 << 10

// Handler answers a request for a page, or returns an error that is shown.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Methods are the handlers of a page by method. GET answers HEAD as well.
type Methods map[string]Handler

// Page wraps the handlers of a page in what every page needs: the session, the
// headers that keep others out, and the refusal of forms that another site
// sends.
func (s *Site) Page(m Methods) http.Handler {
	inner := s.sessions.LoadAndSave(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := m.serve(w, r); err != nil {
			s.fail(w, r, err)
		}
	}))
	// Before the session is looked at, so that a forged request changes nothing
	// in it.
	checked := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header())
		if err := s.forgery.Check(r); err != nil {
			s.fail(w, r, model.Forbidden("This form was sent from another site"))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		// Also before: the form may come minutes after the headers, and a session
		// that has ended by then does nothing.
		if r.Method == http.MethodPost && r.ParseForm() != nil {
			s.fail(w, r, model.Invalidf("The form could not be read"))
			return
		}
		inner.ServeHTTP(w, r)
	})
	return checked
}

// serve answers with the handler of the request's method, which finds the form of
// a POST in PostForm.
func (m Methods) serve(w http.ResponseWriter, r *http.Request) error {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet // net/http leaves the body out
	}
	handle, ok := m[method]
	if !ok {
		w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(m)), ", "))
		return &pageError{status: http.StatusMethodNotAllowed, message: "This page does not answer " + r.Method}
	}
	return handle(w, r)
}

// Redirect sends the browser on with GET. Not http.Redirect, which rewrites the
// address.
func Redirect(w http.ResponseWriter, r *http.Request, address string) error {
	status := http.StatusFound
	if r.Method == http.MethodPost {
		status = http.StatusSeeOther // what was sent here is not sent on (RFC 9700 section 4.12)
	}
	w.Header().Set("Location", address)
	w.WriteHeader(status)
	return nil
}

// policy is the Content-Security-Policy of every page. Nothing is inline and
// nothing comes from elsewhere.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; frame-ancestors 'none'; form-action 'self'"

// protect sets the headers of every page. There is no Cross-Origin-Opener-Policy:
// clients open the pages in pop-ups (contract, Bodies and errors).
func protect(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
	h.Set("X-Content-Type-Options", "nosniff")
	// Not "no-referrer": with it browsers send "Origin: null" with our own forms.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// allowFormTo lets a form's answer lead to the address: browsers hold
// form-action against redirects too.
func allowFormTo(h http.Header, origin string) {
	h.Set("Content-Security-Policy", policy+" "+origin)
}
