package db

import (
	"context"
	"errors"
	"io"
	"testing"

	"portico/db/dial"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// errBroken is the error of work that fails in a transaction.
var errBroken = errors.New("broken")

// wantSpaces checks how many spaces there are.
func wantSpaces(t *testing.T, db *DB, want int) {
	t.Helper()
	if got := number(t, db, "SELECT count(*) FROM spaces"); got != want {
		t.Errorf("spaces: got %d, want %d", got, want)
	}
}

func TestInTx_keeps_nothing_after_an_error(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	err := db.InTx(t.Context(), func(tx *DB) error {
		addSpace(t, tx, owner, "never")
		return errBroken
	})
	if !errors.Is(err, errBroken) {
		t.Errorf("InTx: got %v, want %v", err, errBroken)
	}
	wantSpaces(t, db, 0)
}

func TestInTx_names_a_lost_connection_once(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	err := db.InTx(t.Context(), func(*DB) error { return translate(io.EOF) }) // as every method in it does
	if got, want := err.Error(), model.UnavailableMessage+": driver: bad connection: EOF"; got != want || !dial.Unavailable(err) {
		t.Errorf("InTx: got %q, want %q, which is a temporary failure", got, want)
	}
}

func TestInTx_rolls_back_at_a_panic(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	func() {
		defer func() {
			if got := recover(); got != errBroken {
				t.Errorf("panic: got %v, want %v", got, errBroken)
			}
		}()
		_ = db.InTx(t.Context(), func(tx *DB) error {
			addSpace(t, tx, owner, "never")
			panic(errBroken)
		})
	}()
	wantSpaces(t, db, 0)
	if got, want := db.root.Stats().InUse, 0; got != want {
		t.Errorf("connections in use: got %d, want %d", got, want)
	}
}

func TestInTx_joins_the_transaction_that_it_is_in(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	err := db.InTx(t.Context(), func(tx *DB) error {
		check(t, tx.InTx(t.Context(), func(inner *DB) error {
			addSpace(t, inner, owner, "never")
			return nil
		}))
		return errBroken
	})
	if !errors.Is(err, errBroken) {
		t.Errorf("InTx: got %v, want %v", err, errBroken)
	}
	wantSpaces(t, db, 0)
}

func TestInTx_ends_with_its_context(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	err := db.InTx(ctx, func(tx *DB) error {
		addSpace(t, tx, owner, "never")
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("InTx: got %v, want %v", err, context.Canceled)
	}
	wantSpaces(t, db, 0)
}

func TestInTx_keeps_all_after_success(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		addSpace(t, tx, owner, "one")
		addSpace(t, tx, owner, "two")
		return nil
	}))
	wantSpaces(t, db, 2)
}

func TestInTx_reports_whether_the_transaction_may_be_committed(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	direct := openTest(t, Options{URL: url, Connections: 2, Logger: quiet()})
	losing := openTest(t, Options{URL: postgres.LosingCommits(t, url, `INSERT INTO "spaces"`), Connections: 2, Logger: quiet()})
	owner := addUser(t, direct)
	canceled, cancel := context.WithCancel(t.Context())
	for _, test := range []struct {
		name string
		db   *DB
		ctx  context.Context
		fn   func(tx *DB) error
		want bool
	}{
		{"an error of the work", losing, t.Context(), func(tx *DB) error {
			addSpace(t, tx, owner, "never")
			return errBroken
		}, false},
		{"an error of a statement", direct, t.Context(), func(tx *DB) error {
			_, err := tx.idb.NewRaw("SELECT nothing").Exec(t.Context())
			return err
		}, false},
		{"a connection that ends before the commit", direct, t.Context(), func(tx *DB) error {
			_, err := tx.idb.NewRaw("SELECT pg_terminate_backend(pg_backend_pid(), 1000)").Exec(t.Context())
			return err
		}, false},
		{"a context that ends before the commit", direct, canceled, func(*DB) error {
			cancel()
			return nil
		}, false},
		{"an answer to the commit that is lost", losing, t.Context(), func(tx *DB) error {
			addSpace(t, tx, owner, "kept")
			return nil
		}, true},
	} {
		err := test.db.InTx(test.ctx, test.fn)
		if got := MayBeCommitted(err); err == nil || got != test.want {
			t.Errorf("%s: got %v of %v, want %v", test.name, got, err, test.want)
		}
	}
	wantSpaces(t, direct, 1)
}

// The change may be committed, and no poll finds the time at which the space changed.
func TestInTx_announces_what_may_be_committed(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	losing := openTest(t, Options{URL: postgres.LosingCommits(t, url, `INSERT INTO "spaces"`), Connections: 2, Logger: quiet()})
	owner := addUser(t, losing)
	watched := losing.Watch(t.Context(), SpacesTopic(owner.ID))
	var spaceID string
	err := losing.InTx(t.Context(), func(tx *DB) error {
		spaceID = addSpace(t, tx, owner, "kept").ID
		tx.announceChange(spaceID)
		return nil
	})
	if !MayBeCommitted(err) {
		t.Fatalf("InTx: got %v, want a lost response to the commit", err)
	}
	if losing.changeTimes.newest(spaceID).IsZero() {
		t.Error("change of the space: got no time, want one")
	}
	receive(t, watched, "the announcement of the space")
}
