package web

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"portico/auth/account"
	"portico/db"
	"portico/model"
)

// SessionLifetime is how long a person stays signed in.
const SessionLifetime = 14 * 24 * time.Hour

// The keys of a session's values.
const (
	sessionUser    = "user"  // the account's id
	sessionProof   = "proof" // sessionFingerprint of the account
	sessionVersion = "at"    // the AccessVersion of the account in the proof
	formTokenKey   = "seal"  // the key that signs the session's form tokens
)

// sessionCodec encodes the values of sessions for the database.
type sessionCodec = scs.GobCodec

// newSessions returns the manager of sessions. A browser has a random token in a cookie that
// scripts cannot read; the database has only the hash of the token.
func (s *Site) newSessions() *scs.SessionManager {
	// Not scs.New, which starts a store in memory with a goroutine that never ends.
	sessions := &scs.SessionManager{
		Store: sessionStore{s.db}, Codec: sessionCodec{}, HashTokenInStore: true,
		Lifetime: SessionLifetime, ErrorFunc: s.fail,
		Cookie: scs.SessionCookie{
			Name: "portico_session", Path: "/", HttpOnly: true, Persist: true,
			SameSite: http.SameSiteLaxMode, // with Strict, links from clients and providers would have no session
		},
	}
	if s.base.Scheme == "https" {
		sessions.Cookie.Secure = true
		sessions.Cookie.Name = "__Host-portico_session" // only this host can set it (RFC 6265bis section 4.1.3)
	}
	return sessions
}

// startSession signs in a user who has proven their identity with the method, unless AllowSignIn
// refuses the account. It returns CodeRateLimited after too many sign-ins to the account: a program
// that signs in for each request would hash a password and store a session each time.
//
// The session gets a new token, so that a token that an attacker stored in the browser is useless
// (session fixation). RenewToken also sets the deadline, so that the deadline of a session that
// waited for a one-time code does not end this one.
func (s *Site) startSession(ctx context.Context, user *model.User, method string) error {
	if wait := s.limits.sessionsByAccount.Take(user.ID); wait > 0 {
		return account.TooManyAttempts(wait)
	}
	if err := s.accounts.AllowSignIn(ctx, user.ID, method); err != nil {
		return err
	}
	model.Identify(ctx, user.ID)
	if err := s.sessions.Clear(ctx); err != nil {
		return err
	}
	if err := s.sessions.RenewToken(ctx); err != nil {
		return err
	}
	s.sessions.Put(ctx, sessionUser, user.ID)
	s.setProof(ctx, user)
	s.sessions.Put(ctx, formTokenKey, rand.Text())
	return nil
}

// setProof makes the session of the request valid for the account as it is now.
func (s *Site) setProof(ctx context.Context, user *model.User) {
	s.sessions.Put(ctx, sessionProof, sessionFingerprint(user))
	s.sessions.Put(ctx, sessionVersion, user.AccessVersion)
}

// RenewSession keeps the session of the caller valid under a new token after a change of the access
// version, in the transaction that ends all other sessions: a copy of the old cookie is useless
// afterwards. Call the function that it returns after the commit: it sends the new cookie to the
// browser. RenewSession returns CodeUnauthenticated if the session has ended, or if its proof does
// not match the account before the change, and CodeInvalid for a request whose response cannot
// have a cookie. It is an account.RenewSession.
func RenewSession(ctx context.Context, tx *db.DB, caller *model.Caller, before, after *model.User) (send func(), err error) {
	if caller.SetSession == nil {
		return nil, model.Invalidf("Send this operation by POST, with a response in JSON: the response sets a cookie")
	}
	deadline, values, err := readSession(ctx, tx, caller.Session, before)
	if err != nil {
		return nil, err
	}
	values[sessionProof], values[sessionVersion] = sessionFingerprint(after), after.AccessVersion
	data, err := sessionCodec{}.Encode(deadline, values)
	if err != nil {
		return nil, fmt.Errorf("write a session: %w", err)
	}
	token := rand.Text() + rand.Text()
	isActive, err := tx.SignIns().MoveSession(ctx, caller.Session, db.BrowserSession{Token: hashToken(token), Data: data, Version: after.AccessVersion})
	if err == nil && !isActive {
		err = errSignedOut()
	}
	return func() { caller.SetSession(token, deadline) }, err
}

// addToSession sets values of the session with this hash of its token, in a transaction that has
// locked its account. It returns the errors of readSession.
func addToSession(ctx context.Context, tx *db.DB, token string, user *model.User, added map[string]any) error {
	deadline, values, err := readSession(ctx, tx, token, user)
	if err != nil {
		return err
	}
	maps.Copy(values, added)
	data, err := sessionCodec{}.Encode(deadline, values)
	if err != nil {
		return fmt.Errorf("write a session: %w", err)
	}
	isActive, err := tx.SignIns().SetSessionData(ctx, token, data)
	if err == nil && !isActive {
		err = errSignedOut()
	}
	return err
}

// readSession returns the values of the session with this hash of its token, and when it ends. It
// returns CodeUnauthenticated if the session has ended, or if its proof does not match the account.
func readSession(ctx context.Context, tx *db.DB, token string, user *model.User) (time.Time, map[string]any, error) {
	data, found, err := tx.SignIns().Session(ctx, token)
	if err != nil {
		return time.Time{}, nil, err
	}
	if !found {
		return time.Time{}, nil, errSignedOut()
	}
	deadline, values, err := sessionCodec{}.Decode(data)
	if err != nil {
		return time.Time{}, nil, fmt.Errorf("read a session: %w", err)
	}
	if presented, _ := values[sessionProof].(string); !hmac.Equal([]byte(sessionFingerprint(user)), []byte(presented)) {
		return time.Time{}, nil, errSignedOut()
	}
	return deadline, values, nil
}

// sessionFingerprint returns a text that changes with the password and the access version of the
// account. A session with another fingerprint is not valid.
func sessionFingerprint(user *model.User) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "portico session %d %s", user.AccessVersion, user.PasswordHash))
	return hex.EncodeToString(sum[:])
}

// User returns the signed-in user, or nil. The request must come through Page.
func (s *Site) User(r *http.Request) (*model.User, error) { return s.userIn(r.Context()) }

// userIn returns the signed-in user of the session in ctx, or nil.
//
// It reads the account for each request, so a change of the password ends the session with the next
// one.
func (s *Site) userIn(ctx context.Context) (*model.User, error) {
	id := s.sessions.GetString(ctx, sessionUser)
	if id == "" {
		return nil, nil
	}
	user, err := s.db.Accounts().User(ctx, id)
	if model.CodeOf(err) == model.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !hmac.Equal([]byte(sessionFingerprint(user)), []byte(s.sessions.GetString(ctx, sessionProof))) {
		return nil, nil
	}
	model.Identify(ctx, user.ID)
	return user, nil
}

// RedirectToSignIn redirects to the sign-in page, which redirects back to this request afterwards.
func (s *Site) RedirectToSignIn(w http.ResponseWriter, r *http.Request) error {
	return Redirect(w, r, withNext(signInPath, AddressOf(r)))
}
