// Package db reads and writes the tables, and is the only package that does: Bun over
// pgdriver over Postgres. A method is a single statement wherever possible. It returns
// the types and errors of package model; errors of Postgres are translated here.
// Packages graph, graph/export, worker, auth, web, oauth and server use it; the doors rest and mcp
// never do.
//
// # Locks
//
// A transaction that locks several kinds of rows locks them in this order, and rows of one kind in
// the order of their keys, so that two transactions do not deadlock:
//
//	spaces              SpaceForUpdate, lockSpacesOf, deleteSpacesOf, lockFileWithSpaces
//	entities            LockEntities
//	json_usage          count_json: the triggers of entities and spaces
//	users               LockUser, LockStorage, and count_json when the granted bytes are used up
//	files               LockFile, lockFileWithSpaces
//	api_keys            RevokeKeyOf, ReplaceKey
//	oauth_codes         RevokeKeyOf, RevokeSessions
//	webhooks            lockWebhook, UpdateWebhook, DeleteWebhook
//	webhook_deliveries  EndAttempt, cancelDeliveries
//
// Foreign keys lock the row that they refer to with KEY SHARE, out of this order. That waits only
// for the deletion of the row. keepUser takes the lock on an account in time. Statements that add
// rows for other accounts or for webhooks, and those that cannot keep the order, such as
// announceFile and PurgeDeliveries, skip the rows that others have locked. The numbers of advisory
// locks are in advisorylock.go.
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
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"
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
	// PollInterval is the time between two polls for lost announcements; 0 means 5 s.
	PollInterval time.Duration
	// Logger logs lost connections, failed notifications and failed polls; nil means slog.Default.
	Logger *slog.Logger
	// Tracer creates a span for each statement that belongs to a trace; nil creates none.
	Tracer trace.Tracer
}

func (o Options) connections() int { return cmp.Or(o.Connections, 20) }

// statementTimeout is longer than the slowest page of a list takes on a busy machine. A statement
// that hangs frees its connection after this time.
const statementTimeout = 10 * time.Second

// DB is an open database, or a transaction of it inside InTx. A transaction has the same type, so
// that a method works inside and outside of one.
type DB struct {
	idb  bun.IDB
	root *bun.DB
	log  *slog.Logger
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
		listener: newListener(root, sender, o), announcer: newAnnouncer(frequent, sender, o.Logger),
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

// Ping checks that the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.root.PingContext(ctx) }

// PoolStats returns the statistics of the connections of this process. A statement that waits for
// its turn counts as one that waits for a connection.
func (db *DB) PoolStats() sql.DBStats {
	stats := db.root.Stats()
	db.prepared.slots.addTo(&stats)
	return stats
}

// translate returns an error of package model for a value that Postgres refuses to
// store, and driver.ErrBadConn for a connection that was lost during a statement. Every
// other error stays as it is, and is internal to clients.
//
// The errors by SQLSTATE:
//
//	untranslatableCharacter             400   a text that jsonb cannot hold
//	characterNotInRepertoire            400   a text that UTF-8 cannot hold
//	invalidTextRepresentation of JSON   400   half of a surrogate pair
//	numericValueOutOfRange of JSON      400   a number that is too large
//	quotaExceeded                       507   the quota of the account (API section 7)
//	spaceHidden                         403   a space that an operator has hidden
//	23...                               the error of the constraint that the row violates (violation)
func translate(err error) error {
	pg, ok := errors.AsType[pgdriver.Error](err)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", driver.ErrBadConn, err)
	case !ok:
		return err
	}
	switch code := pg.Field('C'); {
	case code == untranslatableCharacter, code == characterNotInRepertoire, code == invalidTextRepresentation && isFromJSON(pg):
		return model.Invalidf("The request contains text that cannot be stored, such as a NUL character")
	case code == numericValueOutOfRange && isFromNumeric(pg):
		return model.Invalidf("The request contains a number that is too large to store")
	case code == quotaExceeded:
		return model.StorageFull()
	case code == spaceHidden:
		return model.Forbidden(model.SpaceTakenDown).WithReason(model.ReasonTakenDown)
	case pg.IntegrityViolation():
		if refusal := violation(pg.Field('n')); refusal != nil {
			return refusal
		}
	}
	return err
}

// violation returns the error for a row that violates the constraint or the index of this name; nil
// if the violation is a mistake of ours. No other function knows these names.
//
// A foreign key means that another transaction has deleted a row since the caller looked it up.
// Foreign keys have the names that Postgres gives them: the table, the column and "fkey".
func violation(name string) *model.Error {
	for _, constraint := range []struct {
		end     string
		refusal *model.Error
	}{
		{"users_email_key", model.EmailTaken()},
		{"passkeys_credential_key", model.Invalidf("The passkey is registered already")},
		{"entities_bytes", model.TooLargef("entity_data and entity_state have more than %d bytes together", model.MaxObject)},
		{"spaces_bytes", model.TooLargef("The fields kept with a space have more than %d bytes", model.MaxObject)},
		{"recovery_codes_user_id_fkey", model.NotFound(model.OneTimeCodesOff)},
		{"_user_id_fkey", model.NotFound(model.UserNotFound)},
		{"_owner_id_fkey", model.NotFound(model.UserNotFound)},
		{"_follower_id_fkey", model.NotFound(model.UserNotFound)},
		{"_space_id_fkey", model.NotFound(model.SpaceNotFound)},
		{"_space_id_version_fkey", model.NotFound(model.VersionNotFound)},
		{"_resource_key_fkey", model.NotFound(model.FileNotFound)},
		{"upload_writers_upload_id_fkey", model.NotFound(model.UploadNotFound)},
		{"_webhook_id_fkey", model.NotFound(model.WebhookNotFound)},
		{"_client_id_fkey", model.NotFound(model.ClientNotFound)},
	} {
		if strings.HasSuffix(name, constraint.end) {
			return constraint.refusal
		}
	}
	return nil
}

// isAnswer reports whether err is the answer of Postgres to a statement: then the statement had no
// effect, and the connection is in step.
//
// An error of Postgres with the severity ERROR arrives as a complete answer. Any other error, such
// as a deadline while reading, leaves an answer on the way. Severity FATAL and PANIC mean that
// Postgres has ended the session. Field 'V' is the severity in English, whatever the language of
// the server's messages.
func isAnswer(err error) bool {
	pg, ok := errors.AsType[pgdriver.Error](err)
	return ok && pg.Field('V') != "FATAL" && pg.Field('V') != "PANIC"
}

// isFromJSON reports whether the parser of JSON has raised the error. Postgres raises 22P02 for a
// text of any type that it cannot read. Clients send no other such text, so every other 22P02 is a
// fault of ours. The routine is the only field that says so in every language (PostgreSQL, Error
// and Notice Message Fields).
func isFromJSON(pg pgdriver.Error) bool {
	routine := pg.Field('R')
	return routine == "json_errsave_error" || routine == "json_ereport_error" // before PostgreSQL 16
}

// isFromNumeric reports whether the parser of numeric has raised the error. It reads the numbers of
// JSON, which may have more digits than numeric holds. Postgres raises 22003 also for the overflow
// of a bigint or of a cast, which is a fault of ours. So are the errors of class 54 (program limit
// exceeded): model limits the depth and the size of JSON, and derive_entity the ids in it.
//
// Up to PostgreSQL 15 make_result_opt_error raises the error. Arithmetic of numeric calls it, too,
// but no statement of ours calculates with such numbers.
func isFromNumeric(pg pgdriver.Error) bool {
	return slices.Contains([]string{"numeric_in", "set_var_from_str", "make_result_opt_error"}, pg.Field('R'))
}

// oneRow translates the error of a statement that selects one row. Without a row it
// returns CodeNotFound with the text missing.
func oneRow(err error, missing string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return model.NotFound(missing)
	}
	return translate(err)
}

// changed reports whether a statement changed a row.
func changed(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, translate(err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}
