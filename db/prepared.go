package db

import (
	"context"
	"database/sql"
	"sync"

	"github.com/uptrace/bun"
)

// prepared keeps the statements of the hot paths, each of which a connection
// parses and plans once: Bun writes the arguments into the text, so all that it
// sends is new to Postgres every time. Their columns are named, since one that a
// migration adds would fail the statements that are prepared already.
type prepared struct {
	pool  *sql.DB
	known sync.Map // the text of a statement to its *sql.Stmt
	// observe hears of every statement that runs; nil for nobody. For tests: Bun's
	// hooks do not see these.
	observe func(text string)
	spans   *spans // nil for none: Bun's hooks do not make these either
}

func (p *prepared) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	if known, ok := p.known.Load(text); ok {
		return known.(*sql.Stmt), nil
	}
	fresh, err := p.pool.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	// Of two that prepare it at once one stays.
	known, loaded := p.known.LoadOrStore(text, fresh)
	if loaded {
		return known.(*sql.Stmt), fresh.Close() //nolint:sqlclosecheck // closed here, by the loser
	}
	return fresh, nil
}

// query runs a prepared statement, in the transaction if db is one.
func (db *DB) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if db.prepared.observe != nil {
		db.prepared.observe(text)
	}
	statement, err := db.prepared.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	if tx, ok := db.idb.(bun.Tx); ok {
		statement = tx.StmtContext(ctx, statement) //nolint:sqlclosecheck // ends with the transaction
	}
	return statement.QueryContext(ctx, args...)
}

// rows runs a prepared statement and hands each of its rows to scan.
func (db *DB) rows(ctx context.Context, scan func(*sql.Rows) error, text string, args ...any) (err error) {
	if span := db.prepared.spans.begin(ctx, text); span != nil {
		defer func() { endSpan(span, err) }()
	}
	found, err := db.query(ctx, text, args...)
	if err != nil {
		return translate(err)
	}
	defer func() { _ = found.Close() }() // Err below has what went wrong
	for found.Next() {
		if err := scan(found); err != nil {
			return err
		}
	}
	return translate(found.Err())
}
