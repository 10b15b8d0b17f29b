// Package db reads and writes the tables, and is the only package that does: Bun over
// pgdriver over Postgres. A method is a single statement wherever possible. It returns
// the types and errors of package model; errors of Postgres are translated here.
// Packages graph, graph/export, worker, auth, web, oauth and server use it; the doors rest and mcp
// never do.
package db

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/driver/pgdriver"
	"go.opentelemetry.io/otel/trace"

	"portico/model"
)

// Options configures Open.
type Options struct {
	// URL is postgres://user:password@host/name?sslmode=..., or
	// unix://user:password@name/path/.s.PGSQL.5432.
	URL string
	// Connections is the maximum size of the pool; 0 means 20.
	Connections int
	// StatementTimeout cancels statements that run longer; 0 means 10 s.
	StatementTimeout time.Duration
	// Logger logs lost connections and failed notifications; nil means slog.Default.
	Logger *slog.Logger
	// Tracer creates a span for each statement that belongs to a trace; nil creates none.
	Tracer trace.Tracer
}

func (o Options) connections() int { return cmp.Or(o.Connections, 20) }

// statementTimeout is the timeout of the statements of requests.
const statementTimeout = 10 * time.Second

// DB is an open database, or a transaction of it inside InTx.
type DB struct {
	idb       bun.IDB
	root      *bun.DB
	log       *slog.Logger
	listener  *listener
	announcer *announcer
	toucher   *toucher
	prepared  *prepared
	pieces    *pieceStatistics
	// topics collects the topics that InTx announces after the commit, and touched the
	// spaces whose entities changed; nil outside it.
	topics  *[]Topic
	touched *[]string
	// origin is where the writes of a change set come from; empty for other writes.
	origin string
}

// Open connects to the database and listens for notifications. The caller closes it.
func Open(ctx context.Context, o Options) (*DB, error) {
	o.StatementTimeout = cmp.Or(o.StatementTimeout, statementTimeout)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	root, err := connect(o)
	if err != nil {
		return nil, err
	}
	if err := root.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("reach the database: %w", err), root.Close())
	}
	var statements *spans
	if o.Tracer != nil {
		statements = &spans{o.Tracer}
		root = root.WithQueryHook(statements)
	}
	sender := model.Token()
	frequent := &prepared{pool: root.DB, slots: newConnectionSlots(o.connections()), spans: statements}
	db := &DB{
		idb: root, root: root, log: o.Logger, prepared: frequent,
		listener: newListener(root, sender, o.Logger), announcer: newAnnouncer(frequent, sender, o.Logger),
		toucher: newToucher(root, o.Logger), pieces: &pieceStatistics{},
	}
	db.listener.start()
	db.announcer.start()
	db.toucher.start()
	return db, nil
}

// connect creates the pool, which connects when it is first used.
func connect(o Options) (*bun.DB, error) {
	address, err := driverURL(o.URL)
	if err != nil {
		return nil, err
	}
	pgConnector, err := newConnector(address, o.StatementTimeout)
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(pgConnector)
	pool.SetMaxOpenConns(o.connections())
	pool.SetMaxIdleConns(o.connections())
	pool.SetConnMaxIdleTime(5 * time.Minute)
	// A replica of the previous version keeps running while a migration adds columns.
	return bun.NewDB(pool, pgdialect.New(), bun.WithDiscardUnknownColumns()), nil
}

// newConnector configures the driver, which panics at an address that it cannot use, for
// example one that names a missing certificate.
func newConnector(address string, timeout time.Duration) (pgConnector connector, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the database address cannot be used: %v", p)
		}
	}()
	pgConnector.Connector = pgdriver.NewConnector(
		pgdriver.WithDSN(address),
		pgdriver.WithApplicationName("portico"),
		pgdriver.WithBufferSize(16<<10), // a page of a list has hundreds of kilobytes
		// Longer than the statement timeout, or a slow statement would close its connection.
		pgdriver.WithReadTimeout(timeout+5*time.Second),
		pgdriver.WithConnParams(map[string]any{
			"statement_timeout":                   timeout.Milliseconds(),
			"idle_in_transaction_session_timeout": (30 * time.Second).Milliseconds(),
		}),
	)
	pgConnector.Config().EnableTracing = false
	return pgConnector, nil
}

// Close sends the announced topics, stores the times at which spaces changed, and closes the
// listener and the pool.
func (db *DB) Close() error {
	db.toucher.stop()
	db.announcer.stop()
	db.listener.stop()
	return db.root.Close()
}

// Ping checks that the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.root.PingContext(ctx) }

// PoolStats returns the statistics of the connections of this process. A statement that waits for
// its turn counts as one that waits for a connection.
func (db *DB) PoolStats() sql.DBStats {
	stats := db.root.Stats()
	db.prepared.slots.addTo(&stats)
	return stats
}

// InTx runs fn in a transaction and commits it if fn returns nil. Topics announced in fn
// are sent after the commit. A panic rolls back. Inside a transaction, InTx joins it:
// only the outermost InTx commits.
func (db *DB) InTx(ctx context.Context, fn func(tx *DB) error) error {
	if db.topics != nil {
		return fn(db)
	}
	var topics []Topic
	var touched []string
	err := db.root.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		inner := *db
		inner.idb, inner.topics, inner.touched = tx, &topics, &touched
		return fn(&inner)
	})
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		return ctx.Err() // the end of ctx rolled the transaction back just before the commit
	}
	if err != nil {
		return translate(err)
	}
	for _, id := range touched {
		db.touch(id)
	}
	db.Announce(topics...)
	return nil
}

// translate returns an error of package model for a value that Postgres refuses to
// store, and driver.ErrBadConn for a connection that was lost during a statement. Every
// other error stays as it is, and is internal to clients.
func translate(err error) error {
	pg, ok := errors.AsType[pgdriver.Error](err)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", driver.ErrBadConn, err)
	case !ok:
		return err
	}
	switch code := pg.Field('C'); {
	// \u0000 in jsonb, bytes that are not UTF-8, half of a surrogate pair in jsonb
	case code == "22P05", code == "22021", code == "22P02":
		return model.Invalidf("The request contains text that cannot be stored, such as a NUL character")
	case code == "22003": // a number beyond numeric
		return model.Invalidf("The request contains a number that is too large to store")
	case strings.HasPrefix(code, "54"): // program limit exceeded: nesting, size of a jsonb
		return model.Invalidf("The request contains data that is too large or too deeply nested")
	case code == quotaExceeded:
		return model.StorageFull()
	case code == spaceHidden:
		return model.Forbidden(model.SpaceTakenDown).WithReason(model.ReasonTakenDown)
	case violates(err, "entities_bytes"):
		return model.TooLargef("entity_data and entity_state have more than %d bytes together", model.MaxObject)
	case violates(err, "spaces_bytes"):
		return model.TooLargef("The fields kept with a space have more than %d bytes", model.MaxObject)
	}
	return err
}

// quotaExceeded is the SQLSTATE that our triggers raise for a write over the quota.
const quotaExceeded = "PQ507"

// spaceHidden is the SQLSTATE of our trigger for a change that would publish a hidden space.
const spaceHidden = "PQ403"

// oneRow translates the error of a statement that selects one row. Without a row it
// returns CodeNotFound with the text missing.
func oneRow(err error, missing string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return model.NotFound(missing)
	}
	return translate(err)
}

// violates reports whether err is a violation of the named constraint or index.
func violates(err error, constraint string) bool {
	pg, ok := errors.AsType[pgdriver.Error](err)
	return ok && pg.IntegrityViolation() && pg.Field('n') == constraint
}

// changed reports whether a statement changed a row.
func changed(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, translate(err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}
