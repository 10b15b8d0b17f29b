package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/driver/pgdriver"

	"portico/db/migrations"
)

// migrationLock is the advisory lock that replicas which start at once queue
// for; the number only has to be ours.
const migrationLock = 7_041_776_001

// orEnded returns why ctx has ended in place of err, which is then what pgdriver
// made of a deadline that its socket had too.
func orEnded(ctx context.Context, err error) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return cmp.Or(ctx.Err(), err)
}

// Migrate brings the schema, and River's beside it, up to date as the role of the
// address owner, and grants the role of the address application what it needs and
// no more. Where both are the same address, one role serves both. A role that may
// not change the schema passes where there is nothing to change. Several processes
// may call it at once: one works, the others wait for it.
func Migrate(ctx context.Context, owner, application string, log *slog.Logger) error {
	err := migrate(ctx, owner, application, log)
	if pg, ok := errors.AsType[pgdriver.Error](err); ok && pg.Field('C') == insufficientPrivilege {
		return fmt.Errorf("%w: %w", ErrNotOwner, err)
	}
	return err
}

// ErrNotOwner says that the role of Migrate may not do what there is to do.
var ErrNotOwner = errors.New("the role must own the schema, or one that does must migrate it first")

// insufficientPrivilege is Postgres' code for what a role may not do.
const insufficientPrivilege = "42501"

func migrate(ctx context.Context, owner, application string, log *slog.Logger) (err error) {
	// A handle of its own: an index build or the wait for the lock takes longer
	// than any statement of a request may.
	root, err := connect(Options{URL: owner, StatementTimeout: time.Hour, Connections: 2})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	lock, err := root.Conn(ctx)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	// Closing the connection to the database is what releases the lock.
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := waitForLock(ctx, lock); err != nil {
		return fmt.Errorf("wait for other migrations: %w", orEnded(ctx, err))
	}
	if err := migrateDomain(ctx, root, log); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := migrateQueue(ctx, owner, log); err != nil {
		return fmt.Errorf("migrate the queue: %w", err)
	}
	if owner == application {
		return nil
	}
	if err := grantRights(ctx, root, application, log); err != nil {
		return fmt.Errorf("grant the application's rights: %w", err)
	}
	return nil
}

// waitForLock asks again and again: a statement that waits by itself does not
// notice that ctx has ended.
func waitForLock(ctx context.Context, conn bun.Conn) error {
	const between = 50 * time.Millisecond
	for {
		var locked bool
		err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock(?)", migrationLock).Scan(&locked)
		if ctx.Err() != nil { // the driver says something else of it
			return ctx.Err()
		}
		if err != nil || locked {
			return err
		}
		pause(ctx, between)
	}
}

// migrateDomain runs the files that have not run yet, in the order of their
// numbers. Each is one transaction with the note that it ran, so a process that
// is killed leaves all of it or nothing.
func migrateDomain(ctx context.Context, root *bun.DB, log *slog.Logger) error {
	ran, err := ranMigrations(ctx, root)
	if err != nil {
		return err
	}
	names, err := fs.Glob(migrations.Files, "*.sql") // sorted
	if err != nil {
		return err
	}
	for _, name := range names {
		if slices.Contains(ran, name) {
			continue
		}
		err := root.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { return runMigration(ctx, tx, name) })
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		log.Info("migrated", "migration", name)
	}
	return nil
}

// ranMigrations returns the names of the files that ran before, and makes the table
// for them in an empty database. It writes nothing otherwise: the application's role
// may read the table only.
func ranMigrations(ctx context.Context, root *bun.DB) (names []string, err error) {
	var there bool
	if err := root.QueryRowContext(ctx, "SELECT to_regclass('migrations') IS NOT NULL").Scan(&there); err != nil {
		return nil, err
	}
	if !there {
		_, err := root.ExecContext(ctx, `CREATE TABLE migrations (
			name text PRIMARY KEY, ran_at timestamptz NOT NULL DEFAULT now())`)
		return nil, err
	}
	err = root.NewRaw("SELECT name FROM migrations").Scan(ctx, &names)
	return names, err
}

// runMigration runs the file and notes that it ran.
func runMigration(ctx context.Context, tx bun.Tx, name string) error {
	statements, err := migrations.Files.ReadFile(name)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO migrations (name) VALUES (?)", name); err != nil {
		return err
	}
	// Past Bun, to which a question mark is a placeholder.
	_, err = tx.Tx.ExecContext(ctx, string(statements))
	return err
}

func migrateQueue(ctx context.Context, address string, log *slog.Logger) error {
	pool, err := Pool(ctx, address, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	// River logs a line for each version; ours says the same in one.
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	result, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err == nil && len(result.Versions) > 0 {
		log.Info("migrated the queue", "version", result.Versions[len(result.Versions)-1].Version)
	}
	return err
}

// Pool opens the small pool that River works with; it speaks pgx only.
func Pool(ctx context.Context, address string, connections int32) (*pgxpool.Pool, error) {
	address, err := PoolURL(address)
	if err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, errors.New("the database address cannot be read") // err repeats it
	}
	config.MaxConns = connections
	config.ConnConfig.RuntimeParams["application_name"] = "portico queue"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the queue's connections: %w", err)
	}
	return pool, nil
}
