// Package db is the only way to the tables: Bun over pgdriver over Postgres.
// Its methods are one statement each where one will do, and answer in the words
// of package model; every Postgres error is translated here. Package graph and
// package worker use it, and auth for keys; a door never does.
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

// Options says which database to open.
type Options struct {
	// URL is postgres://user:password@host/name?sslmode=..., or
	// unix://user:password@name/path/.s.PGSQL.5432.
	URL string
	// Connections bounds the pool; 0 is 20.
	Connections int
	// StatementTimeout ends statements that run longer; 0 is 10 s.
	StatementTimeout time.Duration
	// Logger hears of lost connections; nil is slog.Default.
	Logger *slog.Logger
	// Tracer makes a span of each statement that belongs to a trace; nil makes none.
	Tracer trace.Tracer
}

// statementTimeout is the one of requests.
const statementTimeout = 10 * time.Second

// DB is an open database, or a transaction of it inside InTx.
type DB struct {
	idb       bun.IDB
	root      *bun.DB
	log       *slog.Logger
	listener  *listener
	announcer *announcer
	prepared  *prepared
	// topics gathers what InTx announces after the commit; nil outside of it.
	topics *[]Topic
}

// Open connects to the database and listens for its notifications. Close it.
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
	db := &DB{
		idb: root, root: root, log: o.Logger,
		listener: newListener(root, o.Logger), announcer: newAnnouncer(root, o.Logger),
		prepared: &prepared{pool: root.DB, spans: statements},
	}
	db.listener.start()
	db.announcer.start()
	return db, nil
}

// connect opens the pool; nothing is dialled yet.
func connect(o Options) (*bun.DB, error) {
	address, err := driverURL(o.URL)
	if err != nil {
		return nil, err
	}
	opener, err := newConnector(address, o.StatementTimeout)
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(opener)
	connections := cmp.Or(o.Connections, 20)
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	// A replica of the version before runs on while a migration adds columns.
	return bun.NewDB(pool, pgdialect.New(), bun.WithDiscardUnknownColumns()), nil
}

// newConnector configures the driver, which panics at an address that it cannot
// use: with a certificate that is not there, for example.
func newConnector(address string, statement time.Duration) (opener connector, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the database address cannot be used: %v", p)
		}
	}()
	opener.Connector = pgdriver.NewConnector(
		pgdriver.WithDSN(address),
		pgdriver.WithApplicationName("portico"),
		pgdriver.WithBufferSize(16<<10), // a list has hundreds of kilobytes
		// The socket must outlast the statement, or a slow one costs its connection.
		pgdriver.WithReadTimeout(statement+5*time.Second),
		pgdriver.WithConnParams(map[string]any{
			"statement_timeout":                   statement.Milliseconds(),
			"idle_in_transaction_session_timeout": (30 * time.Second).Milliseconds(),
		}),
	)
	opener.Config().EnableTracing = false
	return opener, nil
}

// Close sends what was announced, and ends the listener and the pool.
func (db *DB) Close() error {
	db.announcer.stop()
	db.listener.stop()
	return db.root.Close()
}

// Ping tells whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.root.PingContext(ctx) }

// PoolStats returns how the connections of this process are used.
func (db *DB) PoolStats() sql.DBStats { return db.root.Stats() }

// InTx runs fn in one transaction: all that it writes is there, or nothing is.
// Topics announced in it are sent after the commit. A panic rolls back. Inside a
// transaction it joins that one, whose end decides about all.
func (db *DB) InTx(ctx context.Context, fn func(tx *DB) error) error {
	if db.topics != nil {
		return fn(db)
	}
	var topics []Topic
	err := db.root.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		return fn(&DB{idb: tx, root: db.root, log: db.log, listener: db.listener, announcer: db.announcer, prepared: db.prepared, topics: &topics})
	})
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		return ctx.Err() // which rolled back just before the commit
	}
	if err != nil {
		return translate(err)
	}
	db.announcer.add(topics)
	return nil
}

// translate turns what Postgres says of a value that it cannot keep into an
// error for the client, and an answer that ends too early into the word that
// database/sql has for it; everything else is internal.
func translate(err error) error {
	pg, ok := errors.AsType[pgdriver.Error](err)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		// The connection has ended in the middle of a statement.
		return fmt.Errorf("%w: %w", driver.ErrBadConn, err)
	case !ok:
		return err
	}
	switch code := pg.Field('C'); {
	// \u0000 in jsonb, bytes that are not UTF-8, half of a surrogate pair in jsonb
	case code == "22P05", code == "22021", code == "22P02":
		return model.Invalidf("The request holds text that cannot be stored, such as a NUL character")
	case code == "22003": // a number beyond numeric
		return model.Invalidf("The request holds a number that is too large to store")
	case strings.HasPrefix(code, "54"): // program limit exceeded: nesting, size of a jsonb
		return model.Invalidf("The request holds data that is too large or too deeply nested")
	case code == quotaExceeded:
		return &model.Error{Code: model.CodeQuotaExceeded, Message: model.QuotaExceeded}
	case violates(err, "entities_bytes"):
		return model.TooLargef("entity_data and entity_state have more than %d bytes together", model.MaxObject)
	case violates(err, "spaces_bytes"):
		return model.TooLargef("The fields kept with a space have more than %d bytes", model.MaxObject)
	}
	return err
}

// quotaExceeded is the SQLSTATE of a write that the account's quota has no room for.
const quotaExceeded = "PQ507"

// one translates the error of a statement that finds one row; missing is what
// it says when there is none.
func one(err error, missing string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return model.NotFound(missing)
	}
	return translate(err)
}

// violates tells whether err is a breach of the named constraint or index.
func violates(err error, constraint string) bool {
	pg, ok := errors.AsType[pgdriver.Error](err)
	return ok && pg.IntegrityViolation() && pg.Field('n') == constraint
}

// changed tells whether a statement changed a row.
func changed(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, translate(err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}
