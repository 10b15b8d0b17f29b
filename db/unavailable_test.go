package db

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"portico/db/dial"
)

func TestUnavailable(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ask := func(query string) error {
		_, err := db.root.ExecContext(t.Context(), query)
		return fmt.Errorf("ask: %w", err)
	}
	raise := func(code string) error { return ask("DO $$ BEGIN RAISE SQLSTATE '" + code + "'; END $$") }
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, late := db.root.ExecContext(canceled, "SELECT 1")
	_, nowhere := Open(t.Context(), Options{URL: "postgres://portico@127.0.0.1:1/portico?sslmode=disable", Connections: 1, Logger: quiet()})
	for _, test := range []struct {
		name string
		err  error
		want bool
	}{
		{"a connection that Postgres ends", ask("SELECT pg_terminate_backend(pg_backend_pid(), 1000)"), true},
		{"a Postgres that is not there", nowhere, true},
		{"too many connections", raise("53300"), true},
		{"a full disk", raise("53100"), true},
		{"a row that stays locked", raise("55P03"), true},
		{"a Postgres that starts", raise("57P03"), true},
		{"a statement that is canceled", raise("57014"), false},
		{"a row that is there already", raise("23505"), false},
		{"a statement that is wrong", ask("SELECT nothing"), false},
		{"a caller who has gone", late, false},
		{"another trouble", errors.New("57P01"), false},
	} {
		if got := dial.Unavailable(test.err); got != test.want {
			t.Errorf("%s: got %v, want %v (%v)", test.name, got, test.want, test.err)
		}
	}
}
