package db

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"portico/db/migrations"
	"portico/internal/testkit/postgres"
)

// emptyDB returns a database in which nothing was migrated yet, as the role that
// owns its schema, and what migrates it.
func emptyDB(t *testing.T) (*DB, func(context.Context) error) {
	t.Helper()
	owner, application := postgres.Empty(t, migrateTest)
	db := openTest(t, Options{URL: owner, Connections: 4, Logger: quiet()})
	return db, func(ctx context.Context) error { return migrateTest(ctx, owner, application) }
}

func TestMigrate_by_several_processes_at_once_and_again(t *testing.T) {
	t.Parallel()
	db, run := emptyDB(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := run(t.Context()); err != nil {
				t.Errorf("Migrate: %v", err)
			}
		})
	}
	all.Wait()
	addJob(t, db, addUser(t, db))
	check(t, run(t.Context()))
	if got, want := number(t, db, "SELECT count(*) FROM jobs"), 1; got != want {
		t.Errorf("jobs after migrating again: got %d, want %d", got, want)
	}
	check(t, db.Enqueue(t.Context(), "j", "r")) // River's tables are there, too
	names, err := fs.Glob(migrations.Files, "*.sql")
	check(t, err)
	if got, want := number(t, db, "SELECT count(*) FROM migrations"), len(names); got != want {
		t.Errorf("migrations noted: got %d, want %d", got, want)
	}
}

func TestMigrate_leaves_all_of_a_file_or_nothing(t *testing.T) {
	t.Parallel()
	db, run := emptyDB(t)
	// In the way of the file's last table.
	_, err := db.idb.ExecContext(t.Context(), "CREATE TABLE entities (id text)")
	check(t, err)
	if err := run(t.Context()); err == nil {
		t.Fatal("Migrate: got no error, want one")
	}
	if got, want := number(t, db, "SELECT count(*) FROM migrations"), 0; got != want {
		t.Errorf("migrations noted: got %d, want %d", got, want)
	}
	_, err = db.idb.ExecContext(t.Context(), "DROP TABLE entities")
	check(t, err)
	check(t, run(t.Context()))
	addSpace(t, db, addUser(t, db), "here")
}

// The address to open is the last line of a first start. It must be on the screen still.
func TestMigrate_logs_one_line_for_the_tables_of_a_new_database(t *testing.T) {
	t.Parallel()
	owner, application := postgres.Empty(t, migrateTest)
	var log bytes.Buffer
	check(t, Migrate(t.Context(), owner, application, slog.New(slog.NewTextHandler(&log, nil))))
	if got := log.String(); strings.Contains(got, ".sql") || !strings.Contains(got, "created the tables") {
		t.Errorf("log of Migrate in a new database: got %s, want one line for all migrations", got)
	}
}

func TestMigrate_logs_each_migration_of_an_upgrade(t *testing.T) {
	t.Parallel()
	owner, application := postgres.Empty(t, migrateTest)
	names, err := fs.Glob(migrations.Files, "*.sql")
	check(t, err)
	db := openTest(t, Options{URL: owner, Connections: 1, Logger: quiet()})
	root := db.idb.(*bun.DB)
	_, err = appliedMigrations(t.Context(), root) // makes the table of migrations
	check(t, err)
	check(t, root.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
		return runMigration(ctx, tx, names[0])
	}))
	var log bytes.Buffer
	check(t, Migrate(t.Context(), owner, application, slog.New(slog.NewTextHandler(&log, nil))))
	if got, want := strings.Count(log.String(), ".sql"), len(names)-1; got != want {
		t.Errorf("migrations in the log: got %d, want %d: %s", got, want, log.String())
	}
}

func TestMigrate_waits_no_longer_than_its_context(t *testing.T) {
	t.Parallel()
	db, run := emptyDB(t)
	conn, err := db.root.Conn(t.Context())
	check(t, err)
	defer func() { check(t, conn.Close()) }()
	_, err = conn.ExecContext(t.Context(), "SELECT pg_advisory_lock(?)", migrationLock)
	check(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Migrate: got %v, want %v", err, context.DeadlineExceeded)
	}
}

// A database that accepts connections and says nothing, as one does that is overloaded.
func TestMigrate_waits_for_no_silent_database(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer func() { check(t, silent.Close()) }()
	address := "postgres://portico@" + silent.Addr().String() + "/portico?sslmode=disable"
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := migrateTest(ctx, address, address); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Migrate: got %v, want %v", err, context.DeadlineExceeded)
	}
}

// Migrations run in the order of their names, which must be the order of their numbers. Numbers are
// reserved in ranges for work at the same time, so some are unused.
func TestMigrations_have_numbers_of_their_own(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.Files, "*.sql")
	check(t, err)
	before := "0000"
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		if len(number) != len(before) || number <= before || strings.Trim(number, "0123456789") != "" {
			t.Errorf("migration %s: got number %s, want four digits above %s", name, number, before)
		}
		before = number
	}
}
