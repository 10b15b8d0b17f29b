package web

import (
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

// What a session holds.
const (
	sessionUser  = "user"  // the account's id
	sessionProof = "proof" // of the access that it started with
	sessionSeal  = "seal"  // makes the session's tickets
)

// newSessions sets up how browsers are recognised: by a random token in a cookie
// that scripts cannot read. The database stores its hash only.
func (s *Site) newSessions() *scs.SessionManager {
	// Not scs.New: that one starts a store in memory, whose cleaner never ends.
	sessions := &scs.SessionManager{
		Store: sessionStore{s.db}, Codec: scs.GobCodec{}, HashTokenInStore: true,
		Lifetime: sessionLifetime, ErrorFunc: s.fail,
		Cookie: scs.SessionCookie{
			Name: "portico_session", Path: "/", HttpOnly: true, Persist: true,
			SameSite: http.SameSiteLaxMode, // sent when a client or a provider leads here
		},
	}
	if s.base.Scheme == "https" {
		sessions.Cookie.Secure = true
		sessions.Cookie.Name = "__Host-portico_session" // no other host may set it
	}
	return sessions
}

// sessionStore keeps sessions in our database. The store that scs comes with
// takes no context and logs past our log.
type sessionStore struct{ db *db.DB }

// FindCtx implements scs.CtxStore. The token is hashed already.
func (s sessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	return s.db.Session(ctx, token)
}

// CommitCtx implements scs.CtxStore.
func (s sessionStore) CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error {
	return s.db.SaveSession(ctx, token, data, expires)
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

// startSession signs the user in, who has proven by the method who they are, in a session
// of a new name: one that somebody else put into the browser before is worth nothing.
func (s *Site) startSession(ctx context.Context, user *model.User, method string) error {
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
	s.sessions.Put(ctx, sessionProof, proof(user))
	s.sessions.Put(ctx, sessionSeal, rand.Text())
	return nil
}

// renewProof lets the session of the request outlive the end of all others.
func (s *Site) renewProof(ctx context.Context, user *model.User) {
	s.sessions.Put(ctx, sessionProof, proof(user))
}

// proof changes with the password and with the version of the account's access:
// when either does, all sessions end.
func proof(user *model.User) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "portico session %d %s", user.AccessVersion, user.PasswordHash))
	return hex.EncodeToString(sum[:])
}

// User returns who is signed in, or nil. The request must come through Page.
func (s *Site) User(r *http.Request) (*model.User, error) { return s.userIn(r.Context()) }

// userIn is User for a context that carries a session.
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

// ticket returns a proof that this session was shown something: a page puts it
// into its form, and ticketFits finds that the form is the page's.
func (s *Site) ticket(r *http.Request, shown string) string {
	mac := hmac.New(sha256.New, []byte(s.sessions.GetString(r.Context(), sessionSeal)))
	mac.Write([]byte(shown)) // never fails
	return hex.EncodeToString(mac.Sum(nil))
}

// ticketFits reports whether ticket returned this text for the same thing in the same
// session.
func (s *Site) ticketFits(r *http.Request, shown, ticket string) bool {
	return s.sessions.GetString(r.Context(), sessionSeal) != "" &&
		hmac.Equal([]byte(s.ticket(r, shown)), []byte(ticket))
}

// ToSignIn sends the browser to the sign-in page and from there back here.
func (s *Site) ToSignIn(w http.ResponseWriter, r *http.Request) error {
	return Redirect(w, r, withNext(signInPath, Here(r)))
}
