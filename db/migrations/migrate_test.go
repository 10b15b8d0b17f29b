package migrations

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"portico/db/dial"
	"portico/internal/testkit/postgres"
)

func TestMain(m *testing.M) { postgres.Main(m) }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func run(ctx context.Context, owner, application string) error {
	return Run(ctx, owner, application, quiet())
}

// check ends the test at an error that it does not expect.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

func TestRun_runs_and_logs_the_files_that_are_new(t *testing.T) {
	t.Parallel()
	owner, _ := postgres.Empty(t, run)
	root, err := dial.Open(owner, dial.Pool{Connections: 1, StatementTimeout: time.Minute})
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
func TestRun_asks_before_it_changes_tables(t *testing.T) {
	t.Parallel()
	owner, _ := postgres.Empty(t, run)
	root, err := dial.Open(owner, dial.Pool{Connections: 1, StatementTimeout: time.Minute})
	check(t, err)
	t.Cleanup(func() { check(t, root.Close()) })
	files := fstest.MapFS{"0001_a.sql": sqlFile(`CREATE TABLE a (text text); CREATE TABLE b (id int);
		INSERT INTO a SELECT repeat(md5(n::text), 100) FROM generate_series(1, 20000) AS n; INSERT INTO b VALUES (1)`)}
	var plans []Plan
	errRefused := errors.New("refused")
	var answer error
	migrate := func() error {
		return migrateDomain(t.Context(), root, files, quiet(), func(_ context.Context, plan Plan) error {
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

func sqlFile(statements string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(statements)} }

// A database that accepts connections and says nothing, as one does that is overloaded.
func TestRun_waits_for_no_silent_database(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer func() { check(t, silent.Close()) }()
	address := "postgres://portico@" + silent.Addr().String() + "/portico?sslmode=disable"
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := run(ctx, address, address); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run: got %v, want %v", err, context.DeadlineExceeded)
	}
}

// Migrations run in the order of their names, which must be the order of their numbers. Numbers are
// reserved in ranges for work at the same time, so some are unused.
func TestMigrations_have_numbers_of_their_own(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(Files, "*.sql")
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
func TestRun_refuses_the_tables_of_unreleased_versions(t *testing.T) {
	t.Parallel()
	owner, application := postgres.Empty(t, run)
	root, err := dial.Open(owner, dial.Pool{Connections: 1, StatementTimeout: time.Minute})
	check(t, err)
	t.Cleanup(func() { check(t, root.Close()) })
	old := fstest.MapFS{"0001_domain.sql": sqlFile("CREATE TABLE users ()"), "0002_followers.sql": sqlFile("CREATE TABLE follows ()")}
	check(t, migrateDomain(t.Context(), root, old, quiet(), nil))
	for range 2 {
		if err := run(t.Context(), owner, application); err == nil || !strings.Contains(err.Error(), "(0001_domain.sql)") || !strings.Contains(err.Error(), "empty database") {
			t.Errorf("Run: got %v, want whose tables they are and what to do", err)
		}
	}
	var got int
	check(t, root.NewRaw("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()").Scan(t.Context(), &got))
	if want := 3; got != want {
		t.Errorf("tables: got %d, want the %d from before", got, want)
	}
}

func TestRun_waits_no_longer_than_its_context(t *testing.T) {
	t.Parallel()
	owner, application := postgres.Empty(t, run)
	root, err := dial.Open(owner, dial.Pool{Connections: 1, StatementTimeout: time.Minute})
	check(t, err)
	defer func() { check(t, root.Close()) }()
	conn, err := root.Conn(t.Context())
	check(t, err)
	defer func() { check(t, conn.Close()) }()
	_, err = conn.ExecContext(t.Context(), "SELECT pg_advisory_lock(?)", migrationLock)
	check(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := run(ctx, owner, application); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run: got %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestRun_refuses_a_database_before_it_makes_anything(t *testing.T) {
	t.Parallel()
	owner, _ := postgres.Empty(t, run)
	admin := postgres.Connect(t, postgres.AdminURL(t, owner))
	for encoding, want := range map[string]string{"LATIN1": "encoding LATIN1", "SQL_ASCII": "encoding SQL_ASCII"} {
		name := strings.ToLower(encoding) + "_" + databaseOfURL(t, owner)
		_, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING '"+encoding+"' LC_COLLATE 'C' LC_CTYPE 'C'")
		check(t, err)
		address := postgres.AdminURL(t, name)
		if err := Run(t.Context(), address, address, quiet()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", encoding, err, want)
		}
		check(t, expectNoTables(t, address))
		_, err = admin.ExecContext(t.Context(), "DROP DATABASE "+name+" WITH (FORCE)")
		check(t, err)
	}
	if err := Run(t.Context(), owner+"&pgbouncer=true", owner, quiet()); err == nil || !strings.Contains(err.Error(), `"pgbouncer"`) {
		t.Errorf("a parameter that nobody knows: got %v, want its name", err)
	}
	check(t, expectNoTables(t, owner))
	for version, want := range map[int]string{90624: "PostgreSQL 9.", 130014: "PostgreSQL 13.", 140000: "", 180001: ""} {
		if err := serverTrouble(version, "UTF8"); (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("version %d: got %v, want %q", version, err, want)
		}
	}
}

func databaseOfURL(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	check(t, err)
	return u.Host
}

func expectNoTables(t *testing.T, address string) (err error) {
	t.Helper()
	pool, err := dial.Open(address, dial.Pool{Connections: 1, StatementTimeout: time.Minute})
	check(t, err)
	var tables int
	err = pool.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").Scan(&tables)
	if err == nil && tables > 0 {
		err = fmt.Errorf("tables: got %d, want none", tables)
	}
	return errors.Join(err, pool.Close())
}
