package db

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/db/migrations"
	"portico/internal/dbtest"
)

// emptyDB returns a database in which nothing was migrated yet.
func emptyDB(t *testing.T) (*DB, string) {
	t.Helper()
	url := dbtest.URL(t, migrateTest)
	db := openTest(t, Options{URL: url, Connections: 4, Logger: quiet()})
	_, err := db.idb.ExecContext(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	check(t, err)
	return db, url
}

func TestMigrate_by_several_processes_at_once_and_again(t *testing.T) {
	t.Parallel()
	db, url := emptyDB(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := migrateTest(t.Context(), url); err != nil {
				t.Errorf("Migrate: %v", err)
			}
		})
	}
	all.Wait()
	addJob(t, db, addUser(t, db))
	check(t, migrateTest(t.Context(), url))
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
	db, url := emptyDB(t)
	// In the way of the file's last table.
	_, err := db.idb.ExecContext(t.Context(), "CREATE TABLE entities (id text)")
	check(t, err)
	if err := migrateTest(t.Context(), url); err == nil {
		t.Fatal("Migrate: got no error, want one")
	}
	if got, want := number(t, db, "SELECT count(*) FROM migrations"), 0; got != want {
		t.Errorf("migrations noted: got %d, want %d", got, want)
	}
	_, err = db.idb.ExecContext(t.Context(), "DROP TABLE entities")
	check(t, err)
	check(t, migrateTest(t.Context(), url))
	addSpace(t, db, addUser(t, db), "here")
}

func TestMigrate_waits_no_longer_than_its_context(t *testing.T) {
	t.Parallel()
	db, url := emptyDB(t)
	conn, err := db.root.Conn(t.Context())
	check(t, err)
	defer func() { check(t, conn.Close()) }()
	_, err = conn.ExecContext(t.Context(), "SELECT pg_advisory_lock(?)", migrationLock)
	check(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := migrateTest(ctx, url); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Migrate: got %v, want %v", err, context.DeadlineExceeded)
	}
}

// They run in the order of their names, which must be that of their numbers.
func TestMigrations_are_named_in_their_order(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.Files, "*")
	check(t, err)
	for i, name := range names {
		digits, _, _ := strings.Cut(name, "_")
		if got, err := strconv.Atoi(digits); err != nil || got != i+1 {
			t.Errorf("migration %s: got number %s, want %d", name, digits, i+1)
		}
	}
}
