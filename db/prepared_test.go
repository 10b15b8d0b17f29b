package db

import (
	"context"
	"database/sql"
	"testing"
	"time"
)

// The late response of a prepared statement that hit its deadline must not reach the next
// statement on the connection.
func TestRows_never_returns_the_rows_of_another_statement(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	db.root.SetMaxOpenConns(1)
	const query = "SELECT $1::text FROM pg_sleep($2)"
	echo := func(ctx context.Context, text string, seconds float64) (got string, err error) {
		err = db.rows(ctx, func(row *sql.Rows) error { return row.Scan(&got) }, query, text, seconds)
		return got, err
	}
	if _, err := echo(t.Context(), "first", 0); err != nil {
		t.Fatalf("first: %v", err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if got, err := echo(short, "late", 2); err == nil {
		t.Fatalf("late: got %q, want the deadline", got)
	}
	for range 3 {
		if got, err := echo(t.Context(), "next", 0); err != nil || got != "next" {
			t.Errorf("next: got %q, %v, want its own row", got, err)
		}
	}
}

// A transaction that is the first to run a statement needs no second connection for it. The
// statement is prepared once for the transaction, and once for the transactions that follow.
func TestRows_prepares_on_the_connection_of_the_transaction(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	db.root.SetMaxOpenConns(1)
	const text = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE $1"
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // a wait would last until the end of the transaction
	defer cancel()
	for range 3 {
		check(t, db.InTx(ctx, func(tx *DB) error {
			for range 2 {
				var got int
				err := tx.rows(ctx, func(row *sql.Rows) error { return row.Scan(&got) }, text, "%pg_prepared_statements%")
				if err != nil {
					return err
				}
				if got != 1 {
					t.Errorf("prepared statements of the text in a transaction: got %d, want 1", got)
				}
			}
			return nil
		}))
	}
	var got int
	check(t, db.rows(ctx, func(row *sql.Rows) error { return row.Scan(&got) }, text, "%pg_prepared_statements%"))
	if got != 1 {
		t.Errorf("prepared statements of the text: got %d, want 1", got)
	}
}

// A text that Postgres refuses is tried once for each transaction that ran it, and delays no other
// text.
func TestPrepareMissed_forgets_a_text_that_cannot_be_prepared(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	texts := []string{"SELECT 1 FROM no_such_table", "SELECT 1 FROM users LIMIT $1", "SELECT 2 FROM users LIMIT $1"}
	for _, text := range texts {
		db.prepared.unprepared.Store(text, true)
	}
	for range texts { // an error ends a call, because the database may be away
		db.prepared.prepareMissed(t.Context())
	}
	for i, text := range texts {
		_, again := db.prepared.unprepared.Load(text)
		_, prepared := db.prepared.byText.Load(text)
		if again || prepared != (i > 0) {
			t.Errorf("%s: got again %v, prepared %v, want false, %v", text, again, prepared, i > 0)
		}
	}
}
