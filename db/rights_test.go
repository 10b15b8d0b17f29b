package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun/driver/pgdriver"

	"portico/db/migrations"
	"portico/internal/testkit/postgres"
)

// checkDenied checks that the role may not run the statement.
func checkDenied(t *testing.T, db *DB, statement string) {
	t.Helper()
	_, err := db.root.ExecContext(t.Context(), statement)
	pg, ok := errors.AsType[pgdriver.Error](err)
	if !ok || pg.Field('C') != "42501" {
		t.Errorf("%s: got %v, want insufficient privilege", statement, err)
	}
}

func TestRights_list_every_table(t *testing.T) {
	t.Parallel()
	var tables, listed []string
	check(t, testDB(t).idb.NewRaw(`SELECT relname FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`).Scan(t.Context(), &tables))
	for _, r := range migrations.Rights() {
		listed = append(listed, r.Table)
	}
	slices.Sort(listed)
	if !slices.Equal(listed, tables) {
		t.Errorf("tables with rights: got %v, want all: %v", listed, tables)
	}
}

func TestRights_are_those_that_are_listed(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	for _, want := range migrations.Rights() {
		var got string
		check(t, db.idb.NewRaw(`SELECT string_agg(privilege, ', ' ORDER BY place)
			FROM unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) WITH ORDINALITY AS list (privilege, place)
			WHERE has_table_privilege(?, privilege)`, want.Table).Scan(t.Context(), &got))
		if got != want.Privileges {
			t.Errorf("rights to %s: got %q, want %q", want.Table, got, want.Privileges)
		}
	}
}

func TestRights_allow_nothing_but_rows(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	for _, statement := range []string{
		"CREATE TABLE other (name text)", "CREATE SCHEMA other", "CREATE ROLE other", "CREATE DATABASE other",
		"CREATE INDEX ON users (name)", "CREATE FUNCTION other() RETURNS int LANGUAGE sql AS 'SELECT 1'",
		"ALTER TABLE users ADD COLUMN other text", "ALTER TABLE users DISABLE TRIGGER ALL", "DROP TABLE entities",
		"TRUNCATE entities", "DROP FUNCTION merge_data", "ALTER ROLE portico_app SUPERUSER", "SET ROLE portico_owner",
		"COPY users TO PROGRAM 'cat'", "COPY users TO '/dev/null'",
		"SELECT rolpassword FROM pg_authid", "SELECT pg_read_file('PG_VERSION')", "UPDATE migrations SET name = 'other'",
		"DELETE FROM users", "DELETE FROM api_keys", "UPDATE oauth_codes SET user_id = '12345678'",
	} {
		checkDenied(t, db, statement)
	}
	if got, want := number(t, db, "SELECT count(*) FROM pg_roles WHERE rolname = current_user AND rolsuper"), 0; got != want {
		t.Errorf("superusers that the application is: got %d, want %d", got, want)
	}
}

// The next start adds missing privileges and revokes superfluous ones.
func TestMigrate_brings_rights_to_the_list(t *testing.T) {
	t.Parallel()
	db, run := emptyDB(t)
	check(t, run(t.Context()))
	_, err := db.idb.ExecContext(t.Context(), "REVOKE ALL ON users FROM portico_app; GRANT ALL ON migrations TO portico_app; "+
		"REVOKE ALL ON SEQUENCE river_job_id_seq FROM portico_app; REVOKE ALL ON FUNCTION rebuild_queue_indexes() FROM portico_app")
	check(t, err)
	check(t, run(t.Context()))
	for query, want := range map[string]bool{
		"has_table_privilege('portico_app', 'users', 'UPDATE')":                       true,
		"has_table_privilege('portico_app', 'users', 'DELETE')":                       false,
		"has_table_privilege('portico_app', 'migrations', 'DELETE')":                  false,
		"has_function_privilege('portico_app', 'rebuild_queue_indexes()', 'EXECUTE')": true,
		"has_function_privilege('public', 'rebuild_queue_indexes()', 'EXECUTE')":      false,
		"has_sequence_privilege('portico_app', 'river_job_id_seq', 'USAGE')":          true,
		"has_sequence_privilege('portico_app', 'river_job_id_seq', 'UPDATE')":         false,
		"has_schema_privilege('portico_app', current_schema()::text, 'CREATE')":       false,
	} {
		var got bool
		check(t, db.idb.NewRaw("SELECT "+query).Scan(t.Context(), &got))
		if got != want {
			t.Errorf("%s: got %t, want %t", query, got, want)
		}
	}
}

// A server that knows the application's role alone starts on a schema that is up to
// date, and says what is missing on one that is not.
func TestMigrate_as_the_application(t *testing.T) {
	t.Parallel()
	owner, application := postgres.Empty(t, migrateTest)
	alone := func(ctx context.Context) error { return migrateTest(ctx, application, application) }
	err := alone(t.Context())
	if want := "the role must own the schema"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("an empty database: got %v, want %q in it", err, want)
	}
	check(t, migrateTest(t.Context(), owner, application))
	check(t, alone(t.Context()))
	db := openTest(t, Options{URL: owner, Connections: 1, Logger: quiet()})
	_, err = db.idb.ExecContext(t.Context(), "DELETE FROM migrations WHERE name LIKE '0001%'")
	check(t, err)
	if err := alone(t.Context()); err == nil || !strings.Contains(err.Error(), "0001_schema.sql") {
		t.Errorf("a migration is missing: got %v, want its name", err)
	}
}

// One address serves both roles where the operator gives no other: the role owns
// the tables, and nothing is granted.
func TestMigrate_with_one_role(t *testing.T) {
	t.Parallel()
	owner, _ := postgres.Empty(t, migrateTest)
	check(t, migrateTest(t.Context(), owner, owner))
	check(t, migrateTest(t.Context(), owner, owner))
	db := openTest(t, Options{URL: owner, Connections: 4, Logger: quiet()})
	addJob(t, db, addUser(t, db))
	check(t, db.Queue().Enqueue(t.Context(), "j", "r"))
	if got, want := number(t, db, "SELECT count(*) FROM users WHERE has_table_privilege('portico_app', 'users', 'SELECT')"), 0; got != want {
		t.Errorf("rights of another role: got %d, want %d", got, want)
	}
}

// A role of an operator's choice has a name that must be quoted.
func TestMigrate_grants_a_role_of_any_name(t *testing.T) {
	t.Parallel()
	owner, application := postgres.Empty(t, migrateTest)
	db := openTest(t, Options{URL: owner, Connections: 1, Logger: quiet()})
	name := fmt.Sprintf("An App? %s", strings.TrimPrefix(databaseOf(t, db), "test_"))
	asAdmin(t, db, fmt.Sprintf(`CREATE ROLE "%s" LOGIN PASSWORD 'secret'; GRANT CONNECT ON DATABASE %s TO "%s"`,
		name, databaseOf(t, db), name))
	other := as(t, application, name, "secret")
	check(t, migrateTest(t.Context(), owner, other))
	theirs := openTest(t, Options{URL: other, Connections: 2, Logger: quiet()})
	check(t, theirs.Queue().Enqueue(t.Context(), "j", "r"))
	addUser(t, theirs)
	checkDenied(t, theirs, "DELETE FROM users")
}
