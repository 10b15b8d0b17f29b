package db

import (
	"testing"

	"portico/internal/testkit/postgres"
	"portico/model"
)

// A lock holds although the clock of the server that grants it is ten minutes behind the clock of
// the database.
func TestAcquireSpaceLock_uses_the_clock_of_the_database(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	before := openTest(t, Options{URL: url, Connections: 2, Logger: quiet()})
	asAdmin(t, before, `
		CREATE SCHEMA ahead;
		GRANT USAGE ON SCHEMA ahead TO public;
		CREATE FUNCTION ahead.now() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT pg_catalog.now() + interval '10 minutes' $$;
		ALTER DATABASE "`+databaseOf(t, before)+`" SET search_path = ahead, public, pg_catalog`)
	db := openTest(t, Options{URL: url, Connections: 2, Logger: quiet()})
	space := addSpace(t, db, addUser(t, db), "hall")
	lock := func(name string) *model.Space {
		locked, err := db.Spaces().AcquireSpaceLock(t.Context(), model.LockSpace{SpaceID: space.ID, Name: name}, name)
		check(t, err)
		return locked
	}
	if lock("Blender") == nil {
		t.Fatal("first lock: got none, want Blender's")
	}
	if other := lock("Unity"); other != nil {
		t.Errorf("second lock: got one of %s, want none while the first holds", other.LockName)
	}
	if again := lock("Blender"); again == nil {
		t.Error("renewal: got none, want Blender's")
	}
}
