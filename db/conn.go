package db

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/uptrace/bun/driver/pgdriver"
)

// connector opens connections that are safe for prepared statements.
//
// pgdriver gives up a connection on which a plain query ended with anything but
// an answer of Postgres, a deadline for example. It does not so for a prepared
// statement: the late answer would be taken for that of the next one, and a
// caller be told of another's row.
type connector struct{ *pgdriver.Connector }

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

// conn is one connection.
type conn struct{ *pgdriver.Conn }

// ResetSession implements driver.SessionResetter: the pool calls it before it
// gives the connection out again. One that has ended since, as all have after a
// restart of Postgres, would cost its caller an error, and a job one of its tries.
// The pool opens another for driver.ErrBadConn.
func (c conn) ResetSession(ctx context.Context) error {
	if err := c.Conn.ResetSession(ctx); err != nil {
		return err
	}
	if !dormant(c.Conn.Conn()) {
		_ = c.Close() // it has ended, or says what nobody has asked for
		return driver.ErrBadConn
	}
	return nil
}

// PrepareContext implements driver.ConnPrepareContext.
func (c conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	prepared, err := c.Conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, c.judge(err)
	}
	return statement{Stmt: prepared, conn: c}, nil
}

// judge closes a connection that may still have an answer to come, or that
// Postgres has ended; the pool then leaves it.
func (c conn) judge(err error) error {
	if err == nil {
		return nil
	}
	pg, ok := errors.AsType[pgdriver.Error](err)
	if !ok || pg.Field('V') == "FATAL" || pg.Field('V') == "PANIC" {
		_ = c.Close() // err says what happened
	}
	return err
}

// statement is a prepared statement of one connection.
type statement struct {
	driver.Stmt
	conn conn
}

// QueryContext implements driver.StmtQueryContext.
func (s statement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	return rows, s.conn.judge(err)
}

// ExecContext implements driver.StmtExecContext.
func (s statement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	result, err := s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
	return result, s.conn.judge(err)
}
