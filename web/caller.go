package web

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"portico/auth"
	"portico/db"
	"portico/model"
)

// Caller returns the caller of a request by the session of the browser, or nil if nobody is signed
// in. It lets our own pages use the doors without an API key. It accepts a POST, a WebSocket and
// the requests of resumable uploads, and only if the headers of the browser show that a page of
// the same origin sends them. Other sites and uploaded files cannot forge these headers.
//
// The session must be valid when the body has arrived (auth.CheckBody).
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
	token := cookie.Value
	read := func(ctx context.Context) (access db.SessionAccess, expires time.Time, err error) {
		return s.readAccess(ctx, token)
	}
	find := func(ctx context.Context) (db.SessionAccess, error) {
		return s.callers.Find(ctx, hashToken(token), read)
	}
	access, err := find(r.Context())
	if model.CodeOf(err) == model.CodeUnauthenticated {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// stillOf refuses a session that has ended, or belongs to another account.
	stillOf := func(current db.SessionAccess, err error) error {
		if err == nil && current.UserID != access.UserID {
			err = errSignedOut()
		}
		return err
	}
	caller := &model.Caller{
		UserID: access.UserID, Session: access.Token, SetSession: s.setSession(w, r),
		Check: func(ctx context.Context) error { return stillOf(find(ctx)) },
		CheckSession: func(ctx context.Context) error {
			current, _, err := read(ctx)
			return stillOf(current, err)
		},
		Watch: func(ctx context.Context) (context.Context, context.CancelFunc) { return s.watches.Watch(ctx, access) },
	}
	if r.Method == http.MethodPost { // the bodies of uploads are watched
		auth.CheckBody(r, caller)
	}
	return caller, nil
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

// readAccess returns the access of a session by the token of a cookie, and when the session expires.
// It returns CodeUnauthenticated if nobody is signed in with the token.
func (s *Site) readAccess(ctx context.Context, token string) (access db.SessionAccess, expires time.Time, err error) {
	ctx, err = s.sessions.Load(ctx, token)
	if err != nil {
		return access, expires, err
	}
	user, err := s.userIn(ctx)
	if err == nil && user == nil {
		err = errSignedOut()
	}
	if err != nil {
		return access, expires, err
	}
	return db.SessionAccess{Token: hashToken(token), UserID: user.ID, Version: user.AccessVersion}, s.sessions.Deadline(ctx), nil
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
