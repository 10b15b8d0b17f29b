// Package db reads and writes the tables, and is the only package that does: Bun over pgdriver over
// Postgres. DB is a database or a transaction, and has the statements of each subject: db.Spaces(),
// db.Files() and so on (subjects.go). A method is a single statement wherever possible. It returns the
// types and errors of package model; errors of Postgres are translated here. Packages graph,
// graph/export, worker, auth, web, oauth and server use it; the doors rest and mcp never do.
//
// # Locks
//
// A transaction that locks several kinds of rows locks them in this order, and rows of one kind in
// the order of their keys, so that two transactions do not deadlock:
//
//	splat_uploads       LockSplatUpload
//	spaces              SpaceForUpdate, lockSpacesOf, deleteSpacesOf, lockFileWithSpaces
//	entities            LockEntities
//	json_usage          count_json: the triggers of entities and spaces
//	users               LockUser, LockStorage, and count_json when the granted bytes are used up
//	files               LockFile, lockFileWithSpaces
//	api_keys            RevokeKeyOf, ReplaceKey
//	oauth_codes         RevokeKeyOf, RevokeSessions
//	webhooks            endDelegated, lockWebhook, UpdateWebhook, DeleteWebhook
//	webhook_deliveries  EndAttempt, cancelDeliveries
//	uploads             discardUploads, updateUpload
//
// Foreign keys lock the row that they refer to with KEY SHARE, out of this order. That waits only
// for the deletion of the row. preventUserDeletion takes the lock on an account in time. Statements
// that add rows for other accounts or for webhooks, and those that cannot keep the order, such as
// announceFile and PurgeDeliveries, skip the rows that others have locked. The numbers of advisory
// locks: migrations.migrationLock, rolesLock of db/private, and firstUserLock.
//
// # Concurrent requests
//
// Transactions run at READ COMMITTED: a statement that waited for a row sees the committed row. So
// a check and its write are one statement, or the check follows the lock in a statement of its own.
// A write that returns a bool reports whether this call made the change: of two concurrent callers,
// one gets true.
package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/uptrace/bun"
	"go.opentelemetry.io/otel/trace"

	"portico/db/dial"
	"portico/model"
)

// Options configures Open.
type Options struct {
	// URL is postgres://user:password@host/name?sslmode=..., or
	// unix://user:password@name/path/.s.PGSQL.5432. With several hosts, the primary among them is
	// used.
	URL string
	// Connections is the maximum size of the pool; 0 means 20.
	Connections int
	// StatementTimeout cancels statements that run longer; 0 means 8 s.
	StatementTimeout time.Duration
	// PollInterval is the time between two polls for lost announcements; 0 means 5 s.
	PollInterval time.Duration
	// Logger logs lost connections, failed notifications and failed polls; nil means slog.Default.
	Logger *slog.Logger
	// Tracer creates a span for each statement that belongs to a trace; nil creates none.
	Tracer trace.Tracer
}

func (o Options) connections() int { return cmp.Or(o.Connections, 20) }

// statementTimeout is longer than the slowest page of a list takes on a busy machine. A statement
// that hangs frees its connection after this time. With what is added to it (newConnector), no request
// waits longer than 10 seconds for a database that has lost its standby.
const statementTimeout = 8 * time.Second

// DB is an open database, or a transaction of it inside InTx. A transaction has the same type, so
// that a method works inside and outside of one.
type DB struct {
	idb     bun.IDB
	root    *bun.DB
	address *dial.Address
	log     *slog.Logger
	// listener, announcer and changeTimes each run a goroutine, which Open starts and Close stops. A
	// transaction shares them with the database.
	listener    *listener
	announcer   *announcer
	changeTimes *changeTimeWriter
	prepared    *prepared
	ngrams      *ngramStatistics
	// afterCommit collects what InTx does after the commit; nil outside it.
	afterCommit *afterCommit
	// ownStatements are the statements that a transaction has prepared for itself, by text; nil
	// outside InTx.
	ownStatements map[string]*sql.Stmt
	// origin is where the writes of a change set come from; empty for other writes.
	origin string
}

// Open connects to the database and listens for notifications. The caller closes it.
//
// It fails if Postgres does not answer now. Later failures are errors of the methods: the pool and
// the listener connect again.
func Open(ctx context.Context, o Options) (*DB, error) {
	o.StatementTimeout = cmp.Or(o.StatementTimeout, statementTimeout)
	o.PollInterval = cmp.Or(o.PollInterval, PollInterval)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	a, err := dial.Parse(o.URL)
	if err != nil {
		return nil, err
	}
	root := a.Open(dial.Pool{Connections: o.connections(), StatementTimeout: o.StatementTimeout})
	if err := root.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("reach the database: %w", err), root.Close())
	}
	var statements *spans
	if o.Tracer != nil {
		statements = &spans{o.Tracer}
		root = root.WithQueryHook(statements)
	}
	sender := model.Token()
	preparedStatements := &prepared{pool: root.DB, slots: newConnectionSlots(o.connections()), spans: statements}
	db := &DB{
		idb: root, root: root, address: a, log: o.Logger, prepared: preparedStatements,
		listener: newListener(root, a, sender, o), announcer: newAnnouncer(preparedStatements, sender, o.Logger),
		changeTimes: newChangeTimeWriter(root, o.Logger), ngrams: &ngramStatistics{},
	}
	db.listener.start()
	db.announcer.start()
	db.changeTimes.start()
	return db, nil
}

// Close sends the announced topics, stores the times at which spaces changed, and closes the
// listener and the pool.
func (db *DB) Close() error {
	db.changeTimes.stop()
	db.announcer.stop()
	db.listener.stop()
	return db.root.Close()
}

// QueuePool opens a pool for River, which requires pgx. It uses the same server as the database.
func (db *DB) QueuePool(ctx context.Context, connections int32) (*pgxpool.Pool, error) {
	return db.address.OpenQueue(ctx, connections)
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
