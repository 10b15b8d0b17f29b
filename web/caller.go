package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"portico/model"
)

// maxAsked is how much of a request is read before its session is looked up, in
// bytes: what the doors take. They refuse what is longer.
const maxAsked = 1 << 20

// Caller returns who a page of this site asks for, by the session of the person who
// is signed in; nil for nobody. It is for doors that take API keys, so that their
// own pages need none: only a POST counts that the browser says comes from a page
// of the same origin, which neither another site nor an uploaded file can forge.
//
// The body is read first. It may come minutes after the headers, and a session that
// has ended by then asks for nothing.
func (s *Site) Caller(r *http.Request) (*model.Caller, error) {
	cookie, err := r.Cookie(s.sessions.Cookie.Name)
	if err != nil || r.Method != http.MethodPost || !s.sameOrigin(r) {
		return nil, nil
	}
	read, err := io.ReadAll(io.LimitReader(r.Body, maxAsked+1))
	// How it ended is for the door to say, which reads it again.
	r.Body = replayed{io.MultiReader(bytes.NewReader(read), &failing{err}, r.Body), r.Body}
	user, err := s.userOf(r, cookie.Value)
	if err != nil || user == nil {
		return nil, err
	}
	return &model.Caller{UserID: user.ID, Check: func(context.Context) error {
		now, err := s.userOf(r, cookie.Value)
		if err == nil && (now == nil || now.ID != user.ID) {
			err = &model.Error{Code: model.CodeUnauthenticated, Message: "You are signed out"}
		}
		return err
	}}, nil
}

// userOf returns who is signed in by the token of a cookie, or nil.
func (s *Site) userOf(r *http.Request, token string) (*model.User, error) {
	ctx, err := s.sessions.Load(r.Context(), token)
	if err != nil {
		return nil, err
	}
	return s.User(r.WithContext(ctx))
}

// sameOrigin reports whether a browser says that a page of the same origin sends the
// request. Browsers without Sec-Fetch-Site, which is for trustworthy origins alone,
// send the Origin of every POST. A client that says nothing is no page.
func (s *Site) sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	return r.Header.Get("Origin") == s.base.Scheme+"://"+s.base.Host
}

// replayed is a body whose beginning was read already.
type replayed struct {
	io.Reader
	io.Closer
}

// failing is a reader that ends with an error, if there is one.
type failing struct{ err error }

// Read implements io.Reader.
func (f *failing) Read([]byte) (int, error) {
	if f.err == nil || errors.Is(f.err, io.EOF) {
		return 0, io.EOF
	}
	return 0, f.err
}
