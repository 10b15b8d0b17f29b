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

// Handler answers a request for a page, or returns an error that the error page shows.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Methods are the handlers of a page by method. GET answers HEAD as well.
type Methods map[string]Handler

// Page adds to the handlers of a page what every page needs: the session, security headers,
// and the refusal of forms from other sites.
func (s *Site) Page(m Methods) http.Handler {
	inner := s.sessions.LoadAndSave(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := m.serve(w, r); err != nil {
			s.fail(w, r, err)
		}
	}))
	// The check comes before the session, so that a forged request cannot change it.
	checked := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header())
		s.keepLanguage(w, r)
		if err := s.crossOrigin.Check(r); err != nil {
			s.fail(w, r, model.Forbidden("This form was sent from another site"))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		// The form comes before the session too: it may arrive minutes after the headers,
		// and a session that has ended by then must not count.
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
		return &pageError{status: http.StatusMethodNotAllowed, message: "This page does not accept " + r.Method + " requests"}
	}
	return handle(w, r)
}

// Redirect redirects the browser, which then sends a GET. It does not use http.Redirect,
// which would rewrite the address.
func Redirect(w http.ResponseWriter, r *http.Request, address string) error {
	status := http.StatusFound
	if r.Method == http.MethodPost {
		status = http.StatusSeeOther // the browser must not send the form again (RFC 9700 section 4.12)
	}
	w.Header().Set("Location", address)
	w.WriteHeader(status)
	return nil
}

// policy is the Content-Security-Policy of every page. It allows no inline code and nothing
// from other hosts.
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

// allowFetch lets scripts of the page call this server.
func allowFetch(h http.Header) { h.Set("Content-Security-Policy", "connect-src 'self'; "+policy) }

// allowFormTo lets the answer to a form redirect to the origin: browsers apply form-action to
// redirects too.
func allowFormTo(h http.Header, origin string) {
	h.Set("Content-Security-Policy", policy+" "+origin)
}
