package auth

import (
	"errors"
	"io"
	"net/http"

	"portico/model"
)

// RequestCaller returns the caller of a request with a key. See CheckBody for the time at which the
// key must be valid.
func (k *Keys) RequestCaller(r *http.Request) (*model.Caller, error) {
	caller, err := k.Caller(r.Context(), Token(r))
	if err == nil {
		CheckBody(r, caller)
	}
	return caller, err
}

// CheckBody makes the body of a request end with CodeUnauthenticated if the caller's key or session
// has ended by then. The operation starts when the body has arrived: otherwise a thief could send
// the headers first, and the body minutes after the key was revoked.
//
// The caller of CheckBody has checked the credential before, because the body of a stranger must be
// neither buffered nor waited for. The second check seldom reads the database (Cache).
func CheckBody(r *http.Request, caller *model.Caller) {
	if r.ContentLength != 0 {
		r.Body = &checkedBody{ReadCloser: r.Body, check: func() error { return caller.Check(r.Context()) }}
	}
}

// checkedBody is a body whose end fails with the error of check.
type checkedBody struct {
	io.ReadCloser
	check func() error
	ended error // the error that ended the body; nil before
}

// Read implements io.Reader. It calls check once, at the end of the body.
func (b *checkedBody) Read(p []byte) (int, error) {
	if b.ended != nil {
		return 0, b.ended
	}
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		if refused := b.check(); refused != nil {
			err = refused
		}
	}
	b.ended = err
	return n, err
}
