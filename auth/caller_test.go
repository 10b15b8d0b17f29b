package auth_test

import (
	"testing"
	"time"

	"portico/internal/testkit/postgres/testdb"
	"portico/model"
)

// A key that was used a moment ago is refused after its revocation: at once by the process that
// revokes, and soon by others, even if the announcement is lost.
func TestCaller_ends_with_its_key(t *testing.T) {
	t.Parallel()
	database, url := testdb.OpenURL(t)
	other := testdb.OpenSame(t, url)
	testdb.AwaitNotifications(t, database, true)
	here, there, user := newKeys(t, database), newKeys(t, other), testdb.User(t, database, 0)
	for name, revoke := range map[string]func() error{
		"here":     func() error { return here.Revoke(t.Context(), user) },
		"there":    func() error { return there.Revoke(t.Context(), user) },
		"silently": func() error { execute(t, url, "UPDATE api_keys SET revoked_at = now()"); return nil },
	} {
		key, err := here.EnsureKey(t.Context(), user.ID)
		check(t, err)
		caller, err := here.Caller(t.Context(), key)
		check(t, err)
		check(t, caller.Check(t.Context()))
		check(t, revoke())
		for name != "here" && caller.Check(t.Context()) == nil { // the test's own limit ends it
			time.Sleep(time.Millisecond)
		}
		_, err = here.Caller(t.Context(), key)
		for _, err := range []error{err, caller.Check(t.Context())} {
			if got, want := model.CodeOf(err), model.CodeUnauthenticated; got != want {
				t.Errorf("revoked %s: got %q, want %q", name, got, want)
			}
		}
	}
}
