package auth_test

import (
	"bytes"
	"database/sql"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/uptrace/bun/driver/pgdriver"

	"portico/auth"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
)

func TestKey_is_one_per_user_and_stored_encrypted(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	keys := newKeys(t, database)
	one, other := testdb.User(t, database, 0), testdb.User(t, database, 0)
	key, err := keys.EnsureKey(t.Context(), one.ID)
	check(t, err)
	if !regexp.MustCompile(`^portico_[a-z2-7]{52}$`).MatchString(key) {
		t.Errorf("key: got %q, want the prefix and 256 bits in base 32", key)
	}
	again, err := keys.EnsureKey(t.Context(), one.ID)
	check(t, err)
	if again != key {
		t.Errorf("key, asked for again: got %q, want the same %q", again, key)
	}
	others, err := keys.EnsureKey(t.Context(), other.ID)
	check(t, err)
	if others == key {
		t.Error("key of another user: got the same, want another")
	}
	stored, err := database.Keys().KeyOf(t.Context(), one.ID)
	check(t, err)
	if bytes.Contains(stored.Sealed, []byte(key)) || bytes.Contains(stored.Lookup, []byte(key)) {
		t.Error("stored key: got it in the clear, want it sealed")
	}
}

func TestKey_is_one_for_concurrent_callers(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	user := testdb.User(t, database, 0)
	const callers = 8
	found := make(chan string, callers)
	var all sync.WaitGroup
	for range callers {
		keys := newKeys(t, database) // as in several processes
		all.Go(func() {
			key, err := keys.EnsureKey(t.Context(), user.ID)
			if err != nil {
				t.Errorf("Key: %v", err)
			}
			found <- key
		})
	}
	all.Wait()
	close(found)
	distinct := map[string]bool{}
	for key := range found {
		distinct[key] = true
	}
	if got, want := len(distinct), 1; got != want {
		t.Errorf("keys: got %d, want %d", got, want)
	}
}

func TestKey_of_nobody(t *testing.T) {
	t.Parallel()
	if key, err := newKeys(t, testdb.Open(t)).EnsureKey(t.Context(), "12345678"); err == nil {
		t.Errorf("key of nobody: got %q, want an error", key)
	}
}

func TestSealed_key_opens_only_with_its_secret_and_for_its_user(t *testing.T) {
	t.Parallel()
	database, url := testdb.OpenURL(t)
	keys := newKeys(t, database)
	one, other := testdb.User(t, database, 0), testdb.User(t, database, 0)
	key, err := keys.EnsureKey(t.Context(), one.ID)
	check(t, err)
	_, err = keys.EnsureKey(t.Context(), other.ID)
	check(t, err)

	changed, err := auth.NewKeys(database, []byte("another secret of 16 and more"))
	check(t, err)
	_, err = changed.EnsureKey(t.Context(), one.ID)
	if err == nil || !strings.Contains(err.Error(), "PORTICO_SECRET") || strings.Contains(err.Error(), key) {
		t.Errorf("key under another secret: got %v, want an error that names PORTICO_SECRET", err)
	}
	if caller, err := changed.Caller(t.Context(), key); err != nil || caller.UserID != one.ID {
		t.Errorf("caller under another secret: got %v, %v, want the user: keys go on working", caller, err)
	}

	execute(t, url, "UPDATE api_keys SET sealed = (SELECT sealed FROM api_keys WHERE user_id = $1) WHERE user_id = $2", one.ID, other.ID)
	if moved, err := keys.EnsureKey(t.Context(), other.ID); err == nil {
		t.Errorf("sealed key of another user: got %q, want an error", moved)
	}
}

func TestNewKeys_refuses_a_short_secret(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"", "0123456789abcde"} {
		if _, err := auth.NewKeys(nil, []byte(secret)); err == nil {
			t.Errorf("NewKeys with %d bytes: got no error, want one", len(secret))
		}
	}
}

// execute changes the tables behind the back of package db.
func execute(t testing.TB, url, statement string, args ...any) {
	t.Helper()
	pool := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(postgres.AdminURL(t, url))))
	_, err := pool.ExecContext(t.Context(), statement, args...)
	check(t, err)
	check(t, pool.Close())
}
