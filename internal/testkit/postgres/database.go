package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"
)

// Timeouts that only a broken machine reaches.
const (
	startTimeout   = 2 * time.Minute
	requestTimeout = time.Minute
)

// shared is the cluster of this test process. It is the one variable of its
// kind: go test gives TestMain and the tests nothing else to share it by.
var shared process

// Main runs the tests of a package, stops the cluster if they used one, removes
// its folder and exits. Call it from TestMain. When the process is killed
// before that, the server still ends with it (on Linux), and the folder goes
// with a later run.
func Main(m *testing.M) {
	shared.allow()
	code := m.Run()
	if err := shared.close(); err != nil {
		fmt.Fprintln(os.Stderr, "postgres:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// Migrate gets the addresses of an empty database, makes the tables as the role
// that owns the schema, and grants the application its rights. It must close its
// connections.
type Migrate func(ctx context.Context, owner, application string) error

// URL creates a database for the test and returns its address, in the form that
// pgdriver and migrate take (see private.Cluster.URL). Its role is the
// application's, so a right that is missing shows. The database goes with the test,
// whatever is still connected to it.
//
// The first call of a process calls migrate; the databases of all tests are copies
// of what it made, so all must pass the same.
func URL(t testing.TB, migrate Migrate) string {
	t.Helper()
	server := openShared(t, migrate)
	name, err := server.create(t.Context())
	if err != nil {
		t.Fatalf("create a test database: %v", err)
	}
	dropAfter(t, server, name)
	return server.url(name)
}

// Empty is URL for a database that nobody has migrated; it returns its addresses as
// the role that owns the schema and as the application.
func Empty(t testing.TB, migrate Migrate) (owner, application string) {
	t.Helper()
	server := openShared(t, migrate)
	name := server.newName()
	if err := server.createEmpty(t.Context(), name); err != nil {
		t.Fatalf("create an empty test database: %v", err)
	}
	dropAfter(t, server, name)
	return at(server.cluster.OwnerURL(), name), server.url(name)
}

// AdminURL returns the superuser's address of the test's database, which is named
// by its address or by its name, for scenes that the application has no right to set.
func AdminURL(t testing.TB, database string) string {
	t.Helper()
	if u, err := url.Parse(database); err == nil && u.Host != "" {
		database = u.Host
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	return at(shared.server.cluster.AdminURL(), database)
}

// Connect opens connections to a database, which close with the test, for what neither a
// request nor package db can do.
func Connect(t testing.TB, url string) *sql.DB {
	t.Helper()
	pool := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(url)))
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Errorf("close the connections: %v", err)
		}
	})
	return pool
}

// openShared returns the server of this test process.
func openShared(t testing.TB, migrate Migrate) *server {
	t.Helper()
	server, err := shared.open(migrate)
	if err != nil {
		t.Fatalf("open the test cluster: %v", err)
	}
	return server
}

// dropAfter drops the database with the test.
func dropAfter(t testing.TB, server *server, name string) {
	t.Helper()
	t.Cleanup(func() {
		// The context of the test has ended.
		if err := server.drop(context.Background(), name); err != nil {
			t.Errorf("drop the test database: %v", err)
		}
	})
}
