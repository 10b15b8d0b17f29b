package main

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"portico/db/private"
	"portico/internal/testkit/postgres"

	"github.com/uptrace/bun/driver/pgdriver"
)

// The superuser has made everything, as in a restore of a dump.
func TestDataFolder_of_the_superuser_is_handed_over(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	cluster, err := private.Start(t.Context(), private.Options{DataFolder: dir})
	check(t, err)
	ask(t, cluster.AdminURL(), func(db *sql.DB) error {
		_, err := db.ExecContext(t.Context(), `ALTER SCHEMA public OWNER TO portico; GRANT ALL ON SCHEMA public TO PUBLIC;
			DROP OWNED BY portico_owner, portico_app; DROP ROLE portico_owner, portico_app`)
		return err
	})
	check(t, migrate(t.Context(), cluster.AdminURL(), cluster.AdminURL()))
	ask(t, cluster.AdminURL(), func(db *sql.DB) error {
		_, err := db.ExecContext(t.Context(), `INSERT INTO users (id, email, name, plan, quota)
			VALUES ('12345678', 'old@example.com', 'Old', 'free', 1000000)`)
		return err
	})
	check(t, cluster.Stop(t.Context()))

	server := serve(t, dir)
	if out, errs, code := runCommand(t, dir, nil, "user", "list"); code != 0 || !strings.Contains(out, "old@example.com") {
		t.Errorf("user list after the next start: got %q, %q, %d, want the account", out, errs, code)
	}
	server.newUser(t, "new@example.com").Call("POST", "/v1/spaces", map[string]any{"title": "Here"}).Want(201, nil)
}

// The commands of an operator with two addresses: one migrates, and the server that
// knows the other alone starts on what it made.
func TestMigrate_with_an_address_of_its_own(t *testing.T) {
	t.Parallel()
	owner, application := postgres.Empty(t, migrate)
	dir, alone := dataDir(t), []string{"PORTICO_DATABASE_URL=" + application}
	if _, errs, code := runCommand(t, dir, alone, "migrate"); code != 1 || !strings.Contains(errs, "PORTICO_MIGRATE_DATABASE_URL") {
		t.Errorf("migrate as the application: got %q, %d, want 1 and what to set", errs, code)
	}
	if _, errs, code := runCommand(t, dir, append(alone, "PORTICO_MIGRATE_DATABASE_URL="+owner), "migrate"); code != 0 {
		t.Fatalf("migrate as the owner: got %q, %d, want 0", errs, code)
	}
	server := serve(t, dir, alone...)
	server.newUser(t, "new@example.com").Call("POST", "/v1/spaces", map[string]any{"title": "Here"}).Want(201, nil)
	ask(t, application, func(db *sql.DB) error {
		if _, err := db.ExecContext(t.Context(), "DROP TABLE users"); err == nil {
			return errors.New("the application dropped a table, want it refused")
		}
		return nil
	})
}

// ask connects to a database, calls the function and disconnects.
func ask(t *testing.T, url string, do func(*sql.DB) error) {
	t.Helper()
	db := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(url)))
	check(t, errors.Join(do(db), db.Close()))
}
