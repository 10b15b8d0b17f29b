package postgres

import (
	"context"
	"database/sql"
	"os"
	"testing"

	"github.com/uptrace/bun/driver/pgdriver"
)

// childVariable makes the test binary run like the binary of a package whose tests
// are killed while they use a database.
const childVariable = "PORTICO_POSTGRES_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		beChild()
	}
	Main(m)
}

// migrate makes the tables of these tests.
func migrate(ctx context.Context, owner, _ string) error {
	db := openURL(owner)
	_, err := db.ExecContext(ctx, `CREATE TABLE spaces AS SELECT 'from the migration'::text AS name;
		GRANT SELECT, INSERT ON spaces TO portico_app`)
	if err := db.Close(); err != nil {
		return err
	}
	return err
}

func openURL(url string) *sql.DB {
	return sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(url)))
}

// open returns a pool of a test's database that is closed before the database
// is dropped.
func open(t testing.TB, url string) *sql.DB {
	t.Helper()
	db := openURL(url)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return db
}

// names returns the spaces in a database, in order.
func names(t testing.TB, db *sql.DB) string {
	t.Helper()
	var list string
	err := db.QueryRowContext(t.Context(), "SELECT string_agg(name, ', ' ORDER BY name) FROM spaces").Scan(&list)
	if err != nil {
		t.Fatalf("read spaces: %v", err)
	}
	return list
}
