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
	"time"

	"portico/db"
	"portico/model"
)

// maxBuffered is the maximum number of bytes of a body that Caller buffers. It is the maximum size
// of a body that the doors accept.
const maxBuffered = 1 << 20

// maxBeforeLookup is the maximum number of bytes of a body that Caller buffers before it looks up
// the session. The headers of a request take as much. Nearly all operations of our pages have less.
const maxBeforeLookup = 16 << 10

// Caller returns the caller of a request by the session of the browser, or nil if nobody is signed
// in. It lets our own pages use the doors without an API key. It accepts a POST, a WebSocket and
// the requests of resumable uploads, and only if the headers of the browser show that a page of
// the same origin sends them. Other sites and uploaded files cannot forge these headers.
//
// Caller looks up the session when it has read the body: the body may arrive minutes after the
// headers, and a session that has ended by then gives no access. If the body may have more than
// maxBeforeLookup bytes, Caller looks up the session before the body, too, so that the server buffers no
// large body for an invented cookie.
//
// What a request needs, by its method:
//
//	GET with Upgrade        Origin is ours: the handshake of a WebSocket
//	HEAD                    Sec-Fetch-Site same-origin, or without it Tus-Resumable
//	POST, PATCH, DELETE     Sec-Fetch-Site same-origin, or without it our Origin
//	other methods           never accepted
//
// An operation that gives the session a new token sends it with the response w; nil allows none.
func (s *Site) Caller(w http.ResponseWriter, r *http.Request) (*model.Caller, error) {
	cookie, err := r.Cookie(s.sessions.Cookie.Name)
	if err != nil || !s.isFromOwnPage(r) {
		return nil, nil //nolint:nilerr // the only error is that there is no cookie
	}
	if r.Method == http.MethodPost {
		// A length of -1 is unknown.
		if r.ContentLength < 0 || r.ContentLength > maxBeforeLookup {
			if user, err := s.userByToken(r.Context(), cookie.Value); err != nil || user == nil {
				return nil, err
			}
		}
		bufferBody(r)
	}
	user, err := s.userByToken(r.Context(), cookie.Value)
	if err != nil || user == nil {
		return nil, err
	}
	access := db.SessionAccess{Token: hashToken(cookie.Value), UserID: user.ID, Version: user.AccessVersion}
	return &model.Caller{
		UserID: user.ID, Session: access.Token, SetSession: s.setSession(w, r),
		Check: func(ctx context.Context) error {
			current, err := s.userByToken(ctx, cookie.Value)
			if err == nil && (current == nil || current.ID != user.ID) {
				err = errSignedOut()
			}
			return err
		},
		Watch: func(ctx context.Context) (context.Context, context.CancelFunc) { return s.watches.Watch(ctx, access) },
	}, nil
}

// pageCaller returns the caller of a page, for an operation that gives the session a new token.
func (s *Site) pageCaller(w http.ResponseWriter, r *http.Request, user *model.User) *model.Caller {
	return &model.Caller{
		UserID: user.ID, Session: hashToken(s.sessions.Token(r.Context())), SetSession: s.setSession(w, r),
	}
}

// setSession returns the function that sends the browser a new token of its session with w; nil
// without w.
func (s *Site) setSession(w http.ResponseWriter, r *http.Request) func(token string, expires time.Time) {
	if w == nil {
		return nil
	}
	return func(token string, expires time.Time) { s.sessions.WriteSessionCookie(r.Context(), w, token, expires) }
}

// bufferBody reads the body of the request into memory, from which the door reads it. The door
// also gets the error of the read.
func bufferBody(r *http.Request) {
	start, err := io.ReadAll(io.LimitReader(r.Body, maxBuffered+1))
	r.Body = bufferedBody{io.MultiReader(bytes.NewReader(start), &errorReader{err}, r.Body), r.Body}
}

// bufferedBody reads from the Reader, and closes the original body of the request.
type bufferedBody struct {
	io.Reader
	io.Closer
}

// errorReader is an empty reader that returns err at its end.
type errorReader struct{ err error }

// Read implements io.Reader.
func (e *errorReader) Read([]byte) (int, error) {
	if e.err == nil || errors.Is(e.err, io.EOF) {
		return 0, io.EOF
	}
	return 0, e.err
}

// errSignedOut returns the error for a session that has ended.
func errSignedOut() error {
	return &model.Error{Code: model.CodeUnauthenticated, Message: "You are signed out"}
}

// hashToken returns the key under which scs stores the session of a cookie. With HashTokenInStore
// it is the unpadded base64 of the token's SHA-256.
func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// userByToken returns the user who is signed in with the token of a cookie, or nil.
func (s *Site) userByToken(ctx context.Context, token string) (*model.User, error) {
	ctx, err := s.sessions.Load(ctx, token)
	if err != nil {
		return nil, err
	}
	return s.userIn(ctx)
}

// isFromOwnPage reports whether a page of the same origin sends the request, by headers that
// browsers set and scripts cannot set.
//
// Requests that change something have Sec-Fetch-Site. Browsers omit it for origins that are not
// trustworthy (http), but then they send Origin. A HEAD has no Origin there. Its proof is
// Tus-Resumable: a page of another site cannot send that header with cookies, because no preflight
// permits it. The handshake of a WebSocket always has Origin (RFC 6455 section 4.1), and CORS does
// not apply to it. A client that sends none of these headers is not a page.
func (s *Site) isFromOwnPage(r *http.Request) bool {
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
