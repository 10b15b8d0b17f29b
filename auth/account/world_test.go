package account

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"testing"
	"time"

	"portico/auth"
	"portico/db"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/model"
)

func TestMain(m *testing.M) { postgres.Main(m) }

const password = "correct horse"

// world is a registry with a database of the test's own.
type world struct {
	t        *testing.T
	db       *db.DB
	url      string // of the database
	registry *Registry
}

// newWorld opens a registry with sign-up; change may alter its options.
func newWorld(t *testing.T, change func(*Options)) *world {
	t.Helper()
	database, url := testdb.OpenURL(t)
	options := Options{DB: database, Signup: true, Quota: 10_000_000_000, RenewSession: renew, Logger: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&options)
	}
	registry, err := New(options)
	check(t, err)
	return &world{t: t, db: database, url: url, registry: registry}
}

var errEnded = errors.New("the session has ended")

// renew makes a session valid for the account after the change, and updates its caller.
func renew(ctx context.Context, tx *db.DB, caller *model.Caller, _, after *model.User) (send func(), err error) {
	moved := db.BrowserSession{Token: rand.Text(), Data: []byte("session"), Version: after.AccessVersion}
	isActive, err := tx.SignIns().MoveSession(ctx, caller.Session, moved)
	if err == nil && !isActive {
		err = errEnded
	}
	return func() { caller.Session = moved.Token }, err
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

// addUser adds an account with the test's password, as an operator does.
func (w *world) addUser(email string) *model.User {
	w.t.Helper()
	hash, err := auth.NewPasswords().Hash(w.t.Context(), password)
	check(w.t, err)
	user, err := w.db.Accounts().CreateUser(w.t.Context(), model.CreateUser{Email: email, Name: "Ada", PasswordHash: hash, Plan: model.PlanFree, Quota: 1000})
	check(w.t, err)
	return user
}

// signIn starts a session of the account in a new browser, and returns its caller.
func (w *world) signIn(user *model.User) *model.Caller {
	w.t.Helper()
	token := model.Token()
	check(w.t, w.db.SignIns().SaveSession(w.t.Context(), db.BrowserSession{
		Token: token, Data: []byte("session"), Expires: time.Now().Add(time.Hour), UserID: user.ID, Version: user.AccessVersion,
	}))
	return &model.Caller{UserID: user.ID, Session: token}
}

// isSignedIn reports whether the session of the caller is one of its account's valid sessions.
func (w *world) isSignedIn(caller *model.Caller) bool {
	w.t.Helper()
	sessions, err := w.db.SignIns().SessionsOf(w.t.Context(), caller.UserID, caller.Session)
	check(w.t, err)
	for _, session := range sessions {
		if session.Current {
			return true
		}
	}
	return false
}

// trail returns the types, the methods and the details of all security events, latest first.
func (w *world) trail() (events []string) {
	w.t.Helper()
	found, err := w.db.Audit().AuditTrail(w.t.Context(), db.AuditFilter{}, 1000)
	check(w.t, err)
	for _, event := range found {
		events = append(events, string(event.Type)+" "+event.Method+" "+event.Detail())
	}
	return events
}

// wantFailure checks that the latest security event is a sign-in that failed for this reason.
func (w *world) wantFailure(method string, reason model.SecurityEventReason) {
	w.t.Helper()
	found, err := w.db.Audit().AuditTrail(w.t.Context(), db.AuditFilter{}, 1000)
	check(w.t, err)
	if last := found[len(found)-1]; last.Type != model.EventSignInFailed || last.Method != method || last.Reason != reason {
		w.t.Errorf("latest event: got %+v, want a failure by %s for %q", last, method, reason)
	}
}

// byEmail returns the stored account with this address, or nil.
func (w *world) byEmail(email string) *model.User {
	w.t.Helper()
	user, err := w.db.Accounts().UserByEmail(w.t.Context(), email)
	if model.CodeOf(err) == model.CodeNotFound {
		return nil
	}
	check(w.t, err)
	return user
}

// whileWaiting commits the change of a transaction after act, which starts during the transaction,
// has begun to wait for it. It returns the error of act.
func (w *world) whileWaiting(change func(tx *db.DB) error, act func() error) error {
	w.t.Helper()
	// Only the administrator sees what the statements of all users wait for.
	activity := postgres.Connect(w.t, postgres.AdminURL(w.t, w.url))
	done := make(chan error, 1)
	check(w.t, w.db.InTx(w.t.Context(), func(tx *db.DB) error {
		if err := change(tx); err != nil {
			return err
		}
		go func() { done <- act() }()
		for waiting := 0; waiting+len(done) == 0; {
			err := activity.QueryRowContext(w.t.Context(), `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
			if err != nil {
				return err
			}
		}
		return nil
	}))
	return <-done
}
