package dial

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/driver/pgdriver"
)

// Pool sizes a pool of pgdriver.
type Pool struct {
	// Connections is the most that are open.
	Connections int
	// StatementTimeout cancels statements that run longer.
	StatementTimeout time.Duration
}

// Open creates a pool of pgdriver for an address. It connects when it is first used.
func Open(text string, p Pool) (*bun.DB, error) {
	a, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return a.Open(p), nil
}

// Open is the function Open for an address that is parsed.
//
// All connections may stay idle, because opening one costs several round trips and a process of
// Postgres. After five minutes without a statement a connection is closed, so a quiet server holds
// few.
func (a *Address) Open(p Pool) *bun.DB {
	pool := sql.OpenDB(newConnector(a, p.StatementTimeout))
	pool.SetMaxOpenConns(p.Connections)
	pool.SetMaxIdleConns(p.Connections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	// A replica of the previous version keeps running while a migration adds columns.
	return bun.NewDB(pool, pgdialect.New(), bun.WithDiscardUnknownColumns())
}

// connector opens connections that are safe for prepared statements.
//
// When a plain query ends without a response of Postgres, for example by a deadline, pgdriver
// closes the connection. For a prepared statement it does not: the next statement would read the
// late response, and a caller would get another caller's row. It hands out conn in place of the
// driver's connection, which is the only hook that database/sql has between the pool and the
// driver.
type connector struct {
	*pgdriver.Connector
	address *Address
	// setup sets the parameters of a session.
	setup string
	// commit is how long a commit may wait.
	commit time.Duration
	// last is the index of the way to connect that has worked last, for each server.
	last []*atomic.Int32
}

// newConnector configures the driver for an address. statement_timeout ends statements in Postgres
// itself, so a lost client leaves none running. A statement waits half as long for a lock, which may
// be held by a commit that waits for a standby. A transaction whose goroutine hangs loses its locks
// after 30 seconds.
func newConnector(a *Address, timeout time.Duration) connector {
	c := connector{address: a, commit: max(timeout/2, time.Second), setup: a.setup(plannerParameters(), map[string]string{
		"statement_timeout":                   strconv.FormatInt(timeout.Milliseconds(), 10),
		"lock_timeout":                        strconv.FormatInt((timeout / 2).Milliseconds(), 10),
		"idle_in_transaction_session_timeout": strconv.FormatInt((30 * time.Second).Milliseconds(), 10),
	})}
	for range a.hosts.servers {
		c.last = append(c.last, &atomic.Int32{})
	}
	c.Connector = pgdriver.NewConnector(func(driver *pgdriver.Config) {
		driver.User, driver.Password, driver.Database = a.config.User, a.config.Password, cmp.Or(a.config.Database, a.config.User)
		driver.AppName = cmp.Or(a.applicationName, "portico")
		driver.TLSConfig = nil // dial starts TLS
		driver.Dialer = func(ctx context.Context, _, _ string) (net.Conn, error) {
			attempt, ok := ctx.Value(attemptKey{}).(*attempt)
			if !ok {
				return nil, errors.New("pgdriver connects by itself")
			}
			conn, err := a.dial(ctx, attempt.config)
			if err == nil {
				conn = &replicated{Conn: conn}
				attempt.conn = conn
				attempt.keep = context.AfterFunc(ctx, func() { _ = conn.Close() })
			}
			return conn, err
		}
		driver.BufferSize = 16 << 10 // a page of a list has hundreds of kilobytes
		// Longer than the statement timeout, or a slow statement would close its connection. A statement
		// that commits by itself waits no longer for a standby.
		driver.ReadTimeout = timeout + time.Second
		// setup sets what the driver would otherwise refuse, such as client_encoding of a role.
		driver.UnsafeStrings = true
		driver.EnableTracing = false
	})
	return c
}

// attemptKey is the key of the *attempt in the context of Connect.
type attemptKey struct{}

// attempt is an attempt to connect to a server. Nil functions and connections are those of one that
// is not dialled.
type attempt struct {
	config *pgconn.FallbackConfig
	conn   net.Conn
	keep   func() bool // keeps the connection open when the context of the attempt ends
}

// Connect implements driver.Connector. It connects to the server that target_session_attrs asks
// for.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	if timeout := c.address.config.ConnectTimeout; timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	return connectFirst(ctx, c.address.hosts, c.connectTo, func(late driver.Conn) { _ = late.Close() })
}

// connectTo connects to one server. It begins with the way that has worked last.
func (c connector) connectTo(ctx context.Context, server int) (driver.Conn, error) {
	attempts := c.address.hosts.servers[server]
	last := int(c.last[server].Load())
	var failed []error
	for i := range attempts {
		n := (last + i) % len(attempts)
		opened, err := c.open(ctx, attempts[n])
		if err == nil {
			c.last[server].Store(int32(n))
			return opened, nil
		}
		failed = append(failed, err)
		// As libpq does, not after a wrong password: another attempt may show it to the network.
		if _, ok := errors.AsType[tlsError](err); !ok && SQLState(err) != invalidAuthorization {
			break
		}
	}
	return nil, errors.Join(failed...)
}

// open connects, and sets the parameters of the session in one round trip. It returns when ctx ends,
// although the driver reacts to the deadline of ctx only, and leaves no connection open after an
// error, as the driver does.
func (c connector) open(ctx context.Context, config *pgconn.FallbackConfig) (_ driver.Conn, err error) {
	this := &attempt{config: config}
	defer func() {
		if this.conn == nil {
			return
		}
		if !this.keep() {
			err = cmp.Or(err, ctx.Err())
		}
		if err != nil {
			_ = this.conn.Close() // err says what happened
		}
	}()
	opened, err := c.Connector.Connect(context.WithValue(ctx, attemptKey{}, this))
	if err != nil {
		return nil, err
	}
	plain, ok := opened.(*pgdriver.Conn)
	if !ok {
		return nil, errors.New("pgdriver opened no connection of its own")
	}
	if _, err := plain.ExecContext(ctx, c.setup, nil); err != nil {
		return nil, fmt.Errorf("set the parameters of the session: %w", err)
	}
	if err := c.checkAcceptable(ctx, plain); err != nil {
		return nil, err
	}
	return conn{plain, c.commit}, nil
}

// checkAcceptable returns an error for a server that target_session_attrs excludes.
func (c connector) checkAcceptable(ctx context.Context, plain *pgdriver.Conn) error {
	if c.address.acceptable == "" {
		return nil
	}
	rows, err := plain.QueryContext(ctx, c.address.acceptable, nil)
	if err != nil {
		return err
	}
	values := []driver.Value{nil}
	if err := errors.Join(rows.Next(values), rows.Close()); err != nil {
		return err
	}
	if values[0] != true {
		return ErrNotAcceptable
	}
	return nil
}

// SessionParameters returns the parameters that all statements rely on. Each
// connection sets them, because a database or a role may have others.
func SessionParameters() map[string]string {
	return map[string]string{
		// The forms of texts in both directions.
		"client_encoding": "UTF8", "standard_conforming_strings": "on", "datestyle": "ISO, MDY", "intervalstyle": "postgres",
		"timezone": "UTC", "bytea_output": "hex", "array_nulls": "on", "extra_float_digits": "1",
		"transform_null_equals": "off", "default_transaction_isolation": "read committed",
		// How long statements may take and wait. connector has its own values.
		"statement_timeout": "0", "lock_timeout": "0", "idle_in_transaction_session_timeout": "0",
		// The warning that replicated looks for.
		"client_min_messages": "warning",
	}
}

// plannerParameters returns parameters that make requests faster. An address may have others.
func plannerParameters() map[string]string {
	return map[string]string{
		// Compiling a search takes longer than running it.
		"jit": "off",
		// So does starting two processes for it. Other requests use the processors meanwhile.
		"max_parallel_workers_per_gather": "0",
		// Postgres would plan the statements of entities again for each request: a plan for a key that
		// is already confirmed looks cheaper than one that may check it. Only these statements are
		// prepared, and their plans do not depend on their arguments.
		"plan_cache_mode": "force_generic_plan",
	}
}

// setup returns the statement that sets the parameters of a session: the address wins over the
// defaults, and the own parameters win over all others. set_config takes a list, such as that of
// search_path, in the form of an address, which SET does not.
func (a *Address) setup(defaults, own map[string]string) string {
	parameters := map[string]string{}
	maps.Copy(parameters, defaults)
	maps.Copy(parameters, a.parameters)
	maps.Copy(parameters, SessionParameters())
	maps.Copy(parameters, own)
	var calls []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		calls = append(calls, "pg_catalog.set_config("+quote(name)+", "+quote(parameters[name])+", false)")
	}
	return "SELECT " + strings.Join(calls, ", ")
}

// quote returns a literal that means the same before client_encoding and
// standard_conforming_strings are set.
func quote(text string) string {
	var b strings.Builder
	b.WriteString("E'")
	for _, c := range text {
		switch {
		case c == '\'' || c == '\\':
			b.WriteRune(c)
			b.WriteRune(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\U%08X`, c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String() + "'"
}

// conn closes itself when Postgres has closed it, or may still send a late response.
type conn struct {
	*pgdriver.Conn
	commit time.Duration // that one may wait
}

// ResetSession implements driver.SessionResetter: the pool calls it before it reuses the connection. If
// Postgres has closed the connection, for example by a restart, its next statement would fail, and a job
// would lose one of its attempts. So it would if the server is not the primary any more. The pool
// replaces the connection after driver.ErrBadConn. The check is one system call that does not block, and
// no round trip.
func (c conn) ResetSession(ctx context.Context) error {
	if err := c.Conn.ResetSession(ctx); err != nil {
		return err
	}
	if !mayServe(c.Conn.Conn()) {
		_ = c.Close() // closed by the other side, out of step with its responses, or retired
		return driver.ErrBadConn
	}
	return nil
}

// BeginTx implements driver.ConnBeginTx.
func (c conn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	begun, err := c.Conn.BeginTx(ctx, options)
	return transaction{begun, c}, c.closeIfBroken(err)
}

// transaction is a transaction of the driver with a commit of its own.
type transaction struct {
	driver.Tx
	conn conn
}

// Commit implements driver.Tx. A commit that waits for a standby has no time limit in Postgres. When the
// time of this one ends, it may still take effect.
func (t transaction) Commit() error {
	ctx, cancel := context.WithTimeout(context.Background(), t.conn.commit)
	defer cancel()
	_, err := t.conn.ExecContext(ctx, "COMMIT", nil)
	return err
}

// ExecContext implements driver.ExecerContext.
func (c conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	result, err := c.Conn.ExecContext(ctx, query, args)
	return result, c.closeIfBroken(err)
}

// QueryContext implements driver.QueryerContext.
func (c conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := c.Conn.QueryContext(ctx, query, args)
	return rows, c.closeIfBroken(err)
}

// PrepareContext implements driver.ConnPrepareContext.
func (c conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	prepared, err := c.Conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, c.closeIfBroken(err)
	}
	return statement{Stmt: prepared, conn: c}, nil
}

// closeIfBroken closes a connection that may still receive a late response, that Postgres has
// closed, or whose server has become a standby: then all connections to it end. The pool drops a
// closed connection. It returns err.
func (c conn) closeIfBroken(err error) error {
	if err == nil {
		return nil
	}
	isReadOnly := SQLState(err) == readOnlySQLTransaction
	if l := linkOf(c.Conn.Conn()); isReadOnly && l != nil {
		l.hosts.retire(l.server)
	}
	if isReadOnly || !IsResponse(err) {
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

// QueryContext returns the context of a query. Once the statement runs, Done returns nil, so that
// database/sql starts no goroutine that waits for the end of the context.
//
// Such a goroutine could not stop the statement: pgdriver reacts to the deadline only, and the
// goroutine would wait until pgdriver has returned. It takes a twentieth of the time of a short
// request.
func QueryContext(ctx context.Context) context.Context { return &queryContext{Context: ctx} }

type queryContext struct {
	context.Context
	running bool // set by statement, in the goroutine that reads it
}

// Done implements context.Context.
func (c *queryContext) Done() <-chan struct{} {
	if c.running {
		return nil
	}
	return c.Context.Done()
}
