package dbtest

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
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
		fmt.Fprintln(os.Stderr, "dbtest:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// URL creates a database for the test and returns its address, in the form that
// pgdriver and migrate take (see private.Cluster.URL). The database goes with
// the test, whatever is still connected to it.
//
// migrate gets the address of an empty database and makes the tables. The first
// call of a process calls it; the databases of all tests are copies of what it
// made, so all must pass the same. It must close its connections.
func URL(t testing.TB, migrate func(ctx context.Context, url string) error) string {
	t.Helper()
	server, err := shared.open(migrate)
	if err != nil {
		t.Fatalf("open the test cluster: %v", err)
	}
	name, err := server.create(t.Context())
	if err != nil {
		t.Fatalf("create a test database: %v", err)
	}
	t.Cleanup(func() {
		// The context of the test has ended.
		if err := server.drop(context.Background(), name); err != nil {
			t.Errorf("drop the test database: %v", err)
		}
	})
	return server.url(name)
}
