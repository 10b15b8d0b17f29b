package web

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"portico/db"
	"portico/model"
)

// sessionLifetime is how long a person stays signed in.
const sessionLifetime = 14 * 24 * time.Hour

// The keys of a session's values.
const (
	sessionUser  = "user"  // the account's id
	sessionProof = "proof" // see proof
	sessionAt    = "at"    // the AccessVersion of the account that the proof is of
	sessionSeal  = "seal"  // the key that signs the session's tickets
)

// newSessions returns the manager of sessions. A browser has a random token in a cookie that
// scripts cannot read; the database has only the hash of the token.
func (s *Site) newSessions() *scs.SessionManager {
	// Not scs.New, which starts a store in memory with a goroutine that never ends.
	sessions := &scs.SessionManager{
		Store: sessionStore{s.db}, Codec: scs.GobCodec{}, HashTokenInStore: true,
		Lifetime: sessionLifetime, ErrorFunc: s.fail,
		Cookie: scs.SessionCookie{
			Name: "portico_session", Path: "/", HttpOnly: true, Persist: true,
			SameSite: http.SameSiteLaxMode, // Strict would lose the session when a client or a provider links here
		},
	}
	if s.base.Scheme == "https" {
		sessions.Cookie.Secure = true
		sessions.Cookie.Name = "__Host-portico_session" // no other host can set it (RFC 6265bis section 4.1.3)
	}
	return sessions
}

// sessionStore stores sessions in our database. The Postgres store of scs has no context and
// does not use our log.
type sessionStore struct{ db *db.DB }

// FindCtx implements scs.CtxStore. The token is hashed already.
func (s sessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	return s.db.Session(ctx, token)
}

// CommitCtx implements scs.CtxStore.
func (s sessionStore) CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error {
	stored := db.BrowserSession{Token: token, Data: data, Expires: expires}
	_, values, err := scs.GobCodec{}.Decode(data)
	if err != nil {
		return fmt.Errorf("read a session: %w", err)
	}
	if version, ok := values[sessionAt].(int64); ok {
		stored.UserID, _ = values[sessionUser].(string)
		stored.Version = version
	}
	return s.db.SaveSession(ctx, stored)
}

// DeleteCtx implements scs.CtxStore.
func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	return s.db.EndSession(ctx, token)
}

// Find implements scs.Store, which is not called: scs prefers the methods that
// take a context.
func (s sessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit implements scs.Store, which is not called.
func (s sessionStore) Commit(token string, data []byte, expires time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expires)
}

// Delete implements scs.Store, which is not called.
func (s sessionStore) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

// startSession signs in a user whose identity the method has proven, unless an operator has
// disabled the account: everything else needs a session, or a key, which ended with it. An
// account that is disabled after this check has another access version, in which the new session
// is not valid.
//
// The session gets a new token, so that a token which an attacker put into the browser before is
// worth nothing (session fixation).
func (s *Site) startSession(ctx context.Context, user *model.User, method string) error {
	disabled, err := s.db.IsDisabled(ctx, user.ID)
	if err != nil {
		return err
	}
	if disabled {
		return model.Forbidden(model.AccountDisabled)
	}
	if err := s.db.AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventSignedIn, user.ID).By(method)); err != nil {
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
	s.renewProof(ctx, user)
	s.sessions.Put(ctx, sessionSeal, rand.Text())
	return nil
}

// renewProof keeps the session of the request valid when the access of all others ends.
func (s *Site) renewProof(ctx context.Context, user *model.User) {
	s.sessions.Put(ctx, sessionProof, proof(user))
	s.sessions.Put(ctx, sessionAt, user.AccessVersion)
}

// keepSession is renewProof for a session by the hash of its token, in the transaction that
// ends all others. It returns CodeUnauthenticated if the session has ended, or is of an
// earlier state of the account than before.
func (s *Site) keepSession(ctx context.Context, tx *db.DB, token string, before, after *model.User) error {
	data, found, err := tx.Session(ctx, token)
	if err != nil || !found {
		return cmp.Or(err, signedOut())
	}
	deadline, values, err := s.sessions.Codec.Decode(data)
	if err != nil {
		return fmt.Errorf("read a session: %w", err)
	}
	if shown, _ := values[sessionProof].(string); !hmac.Equal([]byte(proof(before)), []byte(shown)) {
		return signedOut()
	}
	values[sessionProof], values[sessionAt] = proof(after), after.AccessVersion
	if data, err = s.sessions.Codec.Encode(deadline, values); err != nil {
		return fmt.Errorf("write a session: %w", err)
	}
	kept, err := tx.KeepSession(ctx, token, data, after.AccessVersion)
	if err == nil && !kept {
		err = signedOut()
	}
	return err
}

// proof returns a text that changes with the password and with the version of the account's
// access. A session with an older proof has ended.
func proof(user *model.User) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "portico session %d %s", user.AccessVersion, user.PasswordHash))
	return hex.EncodeToString(sum[:])
}

// User returns the signed-in user, or nil. The request must come through Page.
func (s *Site) User(r *http.Request) (*model.User, error) { return s.userIn(r.Context()) }

// userIn returns the signed-in user of the session in ctx, or nil.
func (s *Site) userIn(ctx context.Context) (*model.User, error) {
	id := s.sessions.GetString(ctx, sessionUser)
	if id == "" {
		return nil, nil
	}
	user, err := s.db.User(ctx, id)
	if model.CodeOf(err) == model.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !hmac.Equal([]byte(proof(user)), []byte(s.sessions.GetString(ctx, sessionProof))) {
		return nil, nil
	}
	model.Identify(ctx, user.ID)
	return user, nil
}

// ticket returns a signature of what a page shows in this session. The page puts it into its
// form, and ticketFits checks that the form comes from that page: another site does not know
// the ticket.
func (s *Site) ticket(r *http.Request, shown string) string {
	mac := hmac.New(sha256.New, []byte(s.sessions.GetString(r.Context(), sessionSeal)))
	mac.Write([]byte(shown)) // never fails
	return hex.EncodeToString(mac.Sum(nil))
}

// ticketFits reports whether ticket returned this text for the same content in the same
// session.
func (s *Site) ticketFits(r *http.Request, shown, ticket string) bool {
	return s.sessions.GetString(r.Context(), sessionSeal) != "" &&
		hmac.Equal([]byte(s.ticket(r, shown)), []byte(ticket))
}

// ToSignIn sends the browser to the sign-in page, and after that back to this request.
func (s *Site) ToSignIn(w http.ResponseWriter, r *http.Request) error {
	return Redirect(w, r, withNext(signInPath, Here(r)))
}
