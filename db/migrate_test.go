package db

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

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
	check(t, db.Queue().Enqueue(t.Context(), "j", "r")) // River's tables are there, too
	names, err := fs.Glob(migrations.Files, "*.sql")
	check(t, err)
	if got, want := number(t, db, "SELECT count(*) FROM migrations"), len(names); got != want {
		t.Errorf("migrations noted: got %d, want %d", got, want)
	}
}

func TestMigrate_leaves_all_of_a_file_or_nothing(t *testing.T) {
	t.Parallel()
	db, run := emptyDB(t)
	// In the way of a later table of the file.
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

func TestMigrate_runs_and_logs_the_files_that_are_new(t *testing.T) {
	t.Parallel()
	owner, _ := postgres.Empty(t, migrateTest)
	root, err := connect(Options{URL: owner, StatementTimeout: time.Minute, Connections: 1})
	check(t, err)
	t.Cleanup(func() { check(t, root.Close()) })
	files := fstest.MapFS{"0001_a.sql": sqlFile("CREATE TABLE a ()")}
	var log bytes.Buffer
	migrate := func() error {
		log.Reset()
		return migrateDomain(t.Context(), root, files, slog.New(slog.NewTextHandler(&log, nil)), nil)
	}
	tables := func() (names string) {
		check(t, root.NewRaw(`SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class
			WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`).Scan(t.Context(), &names))
		return names
	}
	check(t, migrate())
	files["0003_c.sql"] = sqlFile("CREATE TABLE c (); SELECT 1 / 0")
	files["0002_b.sql"] = sqlFile("CREATE TABLE b (name text DEFAULT '?')")
	if err := migrate(); err == nil || !strings.Contains(err.Error(), "0003_c.sql") {
		t.Errorf("a file that fails: got %v, want its name", err)
	}
	if got, want := tables(), "a b migrations"; got != want {
		t.Errorf("tables: got %q, want %q", got, want)
	}
	if got := log.String(); strings.Count(got, ".sql") != 1 || !strings.Contains(got, "0002_b.sql") {
		t.Errorf("log: got %s, want the migration that ran", got)
	}
	files["0003_c.sql"] = sqlFile("CREATE TABLE c (); ALTER TABLE b ADD COLUMN more text")
	check(t, migrate())
	if got, want := tables(), "a b c migrations"; got != want {
		t.Errorf("tables: got %q, want %q", got, want)
	}
	// The version before knows nothing of the last file.
	delete(files, "0003_c.sql")
	if err := migrate(); !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "has the migration 0003_c.sql. Use that version, or a newer one") {
		t.Errorf("the version before: got %v, want which migration it lacks", err)
	}
}

// Before tables that exist are changed, the caller can look and refuse. A new database has nothing to
// lose.
func TestMigrate_asks_before_it_changes_tables(t *testing.T) {
	t.Parallel()
	owner, _ := postgres.Empty(t, migrateTest)
	root, err := connect(Options{URL: owner, StatementTimeout: time.Minute, Connections: 1})
	check(t, err)
	t.Cleanup(func() { check(t, root.Close()) })
	files := fstest.MapFS{"0001_a.sql": sqlFile(`CREATE TABLE a (text text); CREATE TABLE b (id int);
		INSERT INTO a SELECT repeat(md5(n::text), 100) FROM generate_series(1, 20000) AS n; INSERT INTO b VALUES (1)`)}
	var plans []MigrationPlan
	errRefused := errors.New("refused")
	var answer error
	migrate := func() error {
		return migrateDomain(t.Context(), root, files, quiet(), func(_ context.Context, plan MigrationPlan) error {
			plans = append(plans, plan)
			return answer
		})
	}
	check(t, migrate())
	check(t, migrate())
	if len(plans) > 0 {
		t.Errorf("an empty database, and one with nothing to change: got %+v, want no question", plans)
	}
	files["0002_b.sql"] = sqlFile("-- Counts the rows.\n-- Touches: b.\nALTER TABLE b ADD COLUMN c int")
	answer = errRefused
	if err := migrate(); !errors.Is(err, errRefused) {
		t.Errorf("refused: got %v, want %v", err, errRefused)
	}
	var columns int
	check(t, root.NewRaw("SELECT count(*) FROM pg_attribute WHERE attrelid = 'b'::regclass AND attnum > 0").Scan(t.Context(), &columns))
	if columns != 1 {
		t.Errorf("columns after the refusal: got %d, want 1", columns)
	}
	files["0003_c.sql"] = sqlFile("ALTER TABLE a ADD COLUMN c int")
	answer = nil
	check(t, migrate())
	small, large := plans[0], plans[1]
	if !slices.Equal(small.Files, []string{"0002_b.sql"}) || small.Bytes == 0 || small.Bytes > 1<<20 || small.DatabaseBytes < large.Bytes {
		t.Errorf("a file that names its table: got %+v, want the size of the table", small)
	}
	if large.Bytes < 2_000_000 || large.Duration < time.Second || len(large.Files) != 2 {
		t.Errorf("a file that names none: got %+v, want the size of all tables and a time", large)
	}
}

func TestMigrate_refuses_the_tables_of_unreleased_versions(t *testing.T) {
	t.Parallel()
	db, run := emptyDB(t)
	old := fstest.MapFS{"0001_domain.sql": sqlFile("CREATE TABLE users ()"), "0002_followers.sql": sqlFile("CREATE TABLE follows ()")}
	check(t, migrateDomain(t.Context(), db.root, old, quiet(), nil))
	for range 2 {
		if err := run(t.Context()); err == nil || !strings.Contains(err.Error(), "(0001_domain.sql)") || !strings.Contains(err.Error(), "empty database") {
			t.Errorf("Migrate: got %v, want whose tables they are and what to do", err)
		}
	}
	if got, want := number(t, db, "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"), 3; got != want {
		t.Errorf("tables: got %d, want the %d from before", got, want)
	}
}

func sqlFile(statements string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(statements)} }

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
