package auth_test

import (
	"testing"

	"portico/auth"
	"portico/db"
	"portico/internal/testkit/postgres"
)

func TestMain(m *testing.M) { postgres.MainWithoutLeaks(m) }

var secret = []byte("0123456789abcdef")

func newKeys(t testing.TB, database *db.DB) *auth.Keys {
	t.Helper()
	keys, err := auth.NewKeys(database, secret)
	check(t, err)
	return keys
}

// check ends the test at an error that it does not expect.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}
