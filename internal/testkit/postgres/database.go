package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"

	"portico/internal/testkit/leak"
)

// Generous timeouts, which only a broken machine exceeds.
const (
	startTimeout   = 2 * time.Minute
	requestTimeout = time.Minute
)

// shared is the cluster of this test process. It is the only package variable, because
// TestMain and the tests have no other way to share the cluster.
var shared process

// Main runs the tests of a package, stops the cluster if they used one, removes its folder and
// exits. Call it from TestMain. If the process is killed before that, the server stops with it (on
// Linux), and a later run removes the folder.
func Main(m *testing.M) { os.Exit(run(m)) }

// MainWithoutLeaks is Main that also fails if the tests leave goroutines behind.
func MainWithoutLeaks(m *testing.M) {
	code := run(m)
	if code == 0 {
		if err := leak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// run runs the tests, stops the cluster, and returns the exit code.
func run(m *testing.M) int {
	shared.allow()
	code := m.Run()
	if err := shared.close(); err != nil {
		fmt.Fprintln(os.Stderr, "postgres:", err)
		code = max(code, 1)
	}
	return code
}

// Migrate creates the tables in an empty database, as the role that owns the schema, and grants the
// application its rights. The arguments are the addresses for both roles. It must close its
// connections.
type Migrate func(ctx context.Context, owner, application string) error

// URL creates a database for the test and returns its address, in the form that pgdriver and
// migrate accept (see private.Cluster.URL). The test connects as the application, so that it finds
// missing rights. The database is dropped when the test ends, even if connections are open.
//
// The first call of a process calls migrate. The databases of all tests are copies of
// that database, so all calls must pass the same function.
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

// Empty creates a database without tables. It returns its addresses for the role that owns the
// schema and for the application. migrate must be the function that the tests of the process pass
// to URL. It is called for the template only, and not for this database.
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

// AdminURL returns the superuser's address of a test's database. database is the address or the
// name of the database. Tests use it to create states that the application has no right to create.
func AdminURL(t testing.TB, database string) string {
	t.Helper()
	if u, err := url.Parse(database); err == nil && u.Host != "" {
		database = u.Host
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	return at(shared.server.cluster.AdminURL(), database)
}

// Connect opens a pool of connections to a database, for statements that package db does not have.
// The pool is closed when the test ends.
func Connect(t testing.TB, url string) *sql.DB {
	t.Helper()
	// Statements that fill tables take long on a busy machine; the driver's default is ten seconds.
	pool := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(url), pgdriver.WithReadTimeout(5*time.Minute)))
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Errorf("close the connections: %v", err)
		}
	})
	return pool
}

// Stop stops the cluster of this test process, and returns a function that starts it again with all
// its databases and at the same addresses. It needs a test database. Every test of the process
// loses its database meanwhile, so only a package with a single test may call it.
func Stop(t testing.TB) (start func()) {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	server := shared.server
	if err := server.stop(); err != nil {
		t.Fatalf("stop the test cluster: %v", err)
	}
	start = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
		defer cancel()
		if err := server.start(ctx); err != nil {
			t.Errorf("start the test cluster again: %v", err)
		}
	})
	t.Cleanup(start) // the databases are dropped after the test
	return start
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

// dropAfter drops the database when the test ends.
func dropAfter(t testing.TB, server *server, name string) {
	t.Helper()
	t.Cleanup(func() {
		// The context of the test has ended.
		if err := server.drop(context.Background(), name); err != nil {
			t.Errorf("drop the test database: %v", err)
		}
	})
}
