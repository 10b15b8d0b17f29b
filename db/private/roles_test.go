package private

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/uptrace/bun/driver/pgdriver"
)

// openAs returns a pool of an address of the cluster.
func openAs(t *testing.T, address string) *sql.DB {
	t.Helper()
	db := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(address)))
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// refused checks that the role may not run the statement.
func refused(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	_, err := db.ExecContext(deadline(t), statement)
	pg, ok := errors.AsType[pgdriver.Error](err)
	if !ok || pg.Field('C') != "42501" {
		t.Errorf("%s: got %v, want insufficient privilege", statement, err)
	}
}

func TestRoles_have_no_rights_but_those_that_are_granted(t *testing.T) {
	t.Parallel()
	c := start(t, Options{DataFolder: openFolder(t)})
	admin, owner, app := open(t, c), openAs(t, c.OwnerURL()), openAs(t, c.URL())
	mustExec(t, owner, "CREATE TABLE things (name text); INSERT INTO things VALUES ('a')")
	for _, db := range []*sql.DB{owner, app} {
		const powerful = `SELECT (rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls)::text
			FROM pg_roles WHERE rolname = current_user`
		if got := show(t, db, powerful); got != "false" {
			t.Errorf("any attribute of power: got %s, want false", got)
		}
		for _, statement := range []string{
			"SELECT rolpassword FROM pg_authid", "COPY (SELECT 1) TO PROGRAM 'true'", "COPY (SELECT 1) TO '/dev/null'",
			"SELECT pg_read_file('PG_VERSION')", "SELECT lo_import('/dev/null')", "CREATE ROLE other", "CREATE DATABASE other",
			"ALTER ROLE portico_app SUPERUSER", "SET ROLE portico", "ALTER SYSTEM SET fsync = off",
			"CREATE SCHEMA other", "CREATE TEMPORARY TABLE other (name text)",
		} {
			refused(t, db, statement)
		}
	}
	for _, statement := range []string{
		"CREATE TABLE other (name text)", "SELECT * FROM things", "INSERT INTO things VALUES ('b')",
		"ALTER TABLE things ADD COLUMN more text", "DROP TABLE things", "TRUNCATE things",
		"CREATE INDEX ON things (name)", "CREATE FUNCTION other() RETURNS int LANGUAGE sql AS 'SELECT 1'",
		"GRANT SELECT ON things TO portico_app", "SET ROLE portico_owner",
	} {
		refused(t, app, statement)
	}
	mustExec(t, owner, "GRANT SELECT ON things TO portico_app")
	if got, want := show(t, app, "SELECT name FROM things"), "a"; got != want {
		t.Errorf("what was granted: got %q, want %q", got, want)
	}
	// There the superuser is still the owner of everything.
	template := strings.Replace(c.URL(), "@postgres/", "@template1/", 1)
	if err := openAs(t, template).PingContext(deadline(t)); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("template1: got %v, want permission denied", err)
	}
	mustExec(t, admin, "DROP TABLE things")
}

// A restore of a dump makes everything as the superuser. The roles may be missing too, and the schema
// may be open to everybody.
func TestStart_hands_over_what_the_superuser_has_made(t *testing.T) {
	t.Parallel()
	dir := openFolder(t)
	c := start(t, Options{DataFolder: dir})
	mustExec(t, open(t, c), `
		ALTER SCHEMA public OWNER TO portico; GRANT ALL ON SCHEMA public TO PUBLIC;
		DROP OWNED BY portico_owner, portico_app; DROP ROLE portico_owner, portico_app;
		CREATE TYPE age AS ENUM ('new', 'old');
		CREATE TABLE things (id bigserial PRIMARY KEY, other bigint GENERATED ALWAYS AS IDENTITY, stage age DEFAULT 'new');
		CREATE SEQUENCE alone; CREATE VIEW seen AS SELECT * FROM things; CREATE MATERIALIZED VIEW kept AS SELECT * FROM things;
		CREATE FUNCTION double(n bigint) RETURNS bigint LANGUAGE sql AS 'SELECT n * 2';
		INSERT INTO things DEFAULT VALUES`)
	stop(t, c)

	c = start(t, Options{DataFolder: dir})
	owner := openAs(t, c.OwnerURL())
	mustExec(t, owner, `
		ALTER TABLE things ADD COLUMN more text; ALTER TYPE age ADD VALUE 'older'; ALTER SEQUENCE alone RESTART;
		ALTER FUNCTION double(bigint) STABLE; REFRESH MATERIALIZED VIEW kept; INSERT INTO things DEFAULT VALUES;
		DROP VIEW seen; DROP MATERIALIZED VIEW kept`)
	if got, want := show(t, owner, "SELECT string_agg(id || ' ' || other, ', ' ORDER BY id) FROM things"), "1 1, 2 2"; got != want {
		t.Errorf("rows after the next start: got %q, want %q", got, want)
	}
	refused(t, openAs(t, c.URL()), "SELECT * FROM things")
	refused(t, openAs(t, c.URL()), "CREATE TABLE other (name text)")
}

func TestStart_takes_from_a_role_what_it_should_not_have(t *testing.T) {
	t.Parallel()
	dir := openFolder(t)
	first := start(t, Options{DataFolder: dir})
	mustExec(t, open(t, first), "ALTER ROLE portico_app SUPERUSER PASSWORD 'other'")
	// Of those that adopt the server at once, all prepare the roles.
	for range 3 {
		t.Run("adopted", func(t *testing.T) {
			t.Parallel()
			c := start(t, Options{DataFolder: dir})
			refused(t, openAs(t, c.URL()), "SELECT rolpassword FROM pg_authid")
		})
	}
}

func TestRolePassword_differs_for_each_role(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{"SECRET": true}
	for _, role := range []string{ownerRole, applicationRole} {
		got := rolePassword("SECRET", role)
		if again := rolePassword("SECRET", role); len(got) != 26 || seen[got] || got != again {
			t.Errorf("password of %s: got %q and %q, want one of its own with 26 characters", role, got, again)
		}
		seen[got] = true
	}
	if got, want := rolePassword("SECRET", superuser), "SECRET"; got != want {
		t.Errorf("password of the superuser: got %q, want %q", got, want)
	}
}
