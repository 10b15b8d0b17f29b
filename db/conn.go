package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/driver/pgdriver"
)

// connect creates the pool, which connects when it is first used.
//
// All connections may stay idle, because opening one costs several round trips and a process of
// Postgres. After five minutes without a statement a connection is closed, so a quiet server holds
// few.
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

// connector opens connections that are safe for prepared statements.
//
// When a plain query ends without a response of Postgres, for example by a deadline, pgdriver
// closes the connection. For a prepared statement it does not: the next statement would read the
// late response, and a caller would get another caller's row. It hands out conn in place of the
// driver's connection, which is the only hook that database/sql has between the pool and the
// driver.
type connector struct{ *pgdriver.Connector }

// newConnector configures the driver, which panics at an address that it cannot use, for example
// one that names a missing certificate. statement_timeout ends statements in Postgres itself, so a
// lost client leaves none running. A transaction whose goroutine hangs loses its locks after 30
// seconds.
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
			// Compiling a search takes longer than running it.
			"jit": "off",
			// So does starting two processes for it. Other requests use the processors meanwhile.
			"max_parallel_workers_per_gather": "0",
			// Postgres would plan the statements of entities again for each request: a plan for a key that
			// is already confirmed looks cheaper than one that may check it. Only these statements are
			// prepared, and their plans do not depend on their arguments.
			"plan_cache_mode": "force_generic_plan",
			// Numbers of double precision have all their digits, whatever the role's own setting.
			"extra_float_digits": "1",
		}),
	)
	pgConnector.Config().EnableTracing = false
	return pgConnector, nil
}

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	plain, ok := opened.(*pgdriver.Conn)
	if !ok {
		return nil, errors.Join(errors.New("pgdriver opened no connection of its own"), opened.Close())
	}
	return conn{plain}, nil
}

// conn closes itself when Postgres has closed it, or may still send a late response.
type conn struct{ *pgdriver.Conn }

// ResetSession implements driver.SessionResetter: the pool calls it before it reuses the
// connection. If Postgres has closed the connection, for example by a restart, its next statement
// would fail, and a job would lose one of its attempts. The pool replaces the connection after
// driver.ErrBadConn. The check is one system call that does not block, and no round trip.
func (c conn) ResetSession(ctx context.Context) error {
	if err := c.Conn.ResetSession(ctx); err != nil {
		return err
	}
	if !isIdle(c.Conn.Conn()) {
		_ = c.Close() // closed by the other side, or out of step with its responses
		return driver.ErrBadConn
	}
	return nil
}

// PrepareContext implements driver.ConnPrepareContext.
func (c conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	prepared, err := c.Conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, c.closeIfBroken(err)
	}
	return statement{Stmt: prepared, conn: c}, nil
}

// closeIfBroken closes a connection that may still receive a late response, or that
// Postgres has closed. The pool then drops it. It returns err.
func (c conn) closeIfBroken(err error) error {
	if err != nil && !isResponse(err) {
		_ = c.Close() // err says what happened
	}
	return err
}

// statement is a prepared statement, which closes its connection when an execution leaves the
// connection in an unknown state.
type statement struct {
	driver.Stmt
	conn conn
}

// QueryContext implements driver.StmtQueryContext.
func (s statement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	if query, ok := ctx.(*queryContext); ok && err == nil {
		query.running = true
	}
	return rows, s.conn.closeIfBroken(err)
}

// ExecContext implements driver.StmtExecContext.
func (s statement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	result, err := s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
	return result, s.conn.closeIfBroken(err)
}
