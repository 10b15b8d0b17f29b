package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"

	"portico/db"
	"portico/model"
)

// maxBuffered is how many bytes of a body Caller reads: as many as the doors accept. They
// refuse longer bodies.
const maxBuffered = 1 << 20

// Caller returns the caller of a request by the session of the browser, nil where
// nobody is signed in. It is for doors that accept API keys, so that our own pages need
// none. It accepts a POST, a WebSocket and the requests of resumable uploads, and only if the
// browser's headers say that a page of the same origin sends them. Other sites and
// uploaded files cannot forge these headers.
//
// The session is looked up twice. Before the body is read, so that a cookie of anybody's
// invention makes the server keep no body. And after it: a body may arrive minutes after
// the headers, and a session that has ended by then gives no access.
func (s *Site) Caller(r *http.Request) (*model.Caller, error) {
	cookie, err := r.Cookie(s.sessions.Cookie.Name)
	if err != nil || !s.fromOwnPage(r) {
		return nil, nil //nolint:nilerr // the only error is that there is no cookie
	}
	user, err := s.userOf(r.Context(), cookie.Value)
	if err == nil && user != nil && r.Method == http.MethodPost {
		bufferBody(r)
		user, err = s.userOf(r.Context(), cookie.Value)
	}
	if err != nil || user == nil {
		return nil, err
	}
	access := db.SessionAccess{Token: hashToken(cookie.Value), UserID: user.ID, Version: user.AccessVersion}
	return &model.Caller{
		UserID: user.ID, Session: access.Token,
		Check: func(ctx context.Context) error {
			current, err := s.userOf(ctx, cookie.Value)
			if err == nil && (current == nil || current.ID != user.ID) {
				err = signedOut()
			}
			return err
		},
		Watch: func(ctx context.Context) (context.Context, context.CancelFunc) { return s.watches.Watch(ctx, access) },
	}, nil
}

// bufferBody reads the body of the request into memory. The door reads it again, and
// reports how it ended.
func bufferBody(r *http.Request) {
	start, err := io.ReadAll(io.LimitReader(r.Body, maxBuffered+1))
	r.Body = bufferedBody{io.MultiReader(bytes.NewReader(start), &errorReader{err}, r.Body), r.Body}
}

// bufferedBody reads from memory first, and closes the body of the request.
type bufferedBody struct {
	io.Reader
	io.Closer
}

// errorReader has no bytes, and ends with the error if there is one.
type errorReader struct{ err error }

// Read implements io.Reader.
func (e *errorReader) Read([]byte) (int, error) {
	if e.err == nil || errors.Is(e.err, io.EOF) {
		return 0, io.EOF
	}
	return 0, e.err
}

// signedOut is the error for a session that has ended.
func signedOut() error {
	return &model.Error{Code: model.CodeUnauthenticated, Message: "You are signed out"}
}

// hashToken returns the name under which scs stores the session of a cookie: with
// HashTokenInStore, the unpadded base64 of its SHA-256.
func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// userOf returns who is signed in by the token of a cookie, or nil.
func (s *Site) userOf(ctx context.Context, token string) (*model.User, error) {
	ctx, err := s.sessions.Load(ctx, token)
	if err != nil {
		return nil, err
	}
	return s.userIn(ctx)
}

// fromOwnPage reports whether a page of the same origin sends the request, by the
// headers that browsers set and scripts cannot.
//
// Requests that change something have Sec-Fetch-Site, or Origin in browsers that send no
// Sec-Fetch-Site, which is for trustworthy origins alone. A HEAD has no Origin there: its
// proof is a header of the protocol, which a page of another site cannot send with cookies,
// because no preflight grants them. The handshake of a socket always has Origin
// (RFC 6455 section 4.1), and CORS does not hold other sites back from it. A client
// that sends none of them is no page.
func (s *Site) fromOwnPage(r *http.Request) bool {
	ownOrigin := r.Header.Get("Origin") == s.base.Scheme+"://"+s.base.Host
	site := r.Header.Get("Sec-Fetch-Site")
	switch r.Method {
	case http.MethodGet:
		return ownOrigin && strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
	case http.MethodHead:
		return site == "same-origin" || site == "" && r.Header.Get("Tus-Resumable") != ""
	case http.MethodPost, http.MethodPatch, http.MethodDelete:
		return site == "same-origin" || site == "" && ownOrigin
	default:
		return false
	}
}
