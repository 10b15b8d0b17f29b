package db

import (
	"context"
	"io/fs"
	"sync"
	"testing"

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
