package frontends_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/internal/testkit/program"
	"portico/internal/testkit/program/programtest"
	"portico/splat/splattest"
)

func TestMain(m *testing.M) { postgres.Main(m) }

// applications are the folders of the applications.
var applications = []string{"apollo", "relay", "urql"}

// steps are the steps of the scenario, in order.
var steps = []string{
	"signs in by OAuth from another origin",
	"pages through the spaces and searches them",
	"publishes a capture with live progress",
	"creates an entity, which is visible before the server answers",
	"rolls back an entity whose id is taken",
	"moves an entity before the server answers",
	"rolls back a move of an entity that has changed meanwhile",
	"deletes an entity before the server answers",
	"shows the changes of another tab without a request",
	"reads the space again",
	"rolls back a deletion when the connection is lost",
	"misses nothing when the connection comes back",
	"shows what was deleted while the connection was lost",
	"is signed out when the key is revoked",
}

// TestFrontends runs the scenario with all applications in parallel, against one server. Package
// clients tests the same subscriptions under the race detector.
func TestFrontends(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	server := serve(t)
	capture := writeCapture(t)
	for _, application := range applications {
		t.Run(application, func(t *testing.T) {
			t.Parallel()
			outcomes := s.walk(t, application, "PORTICO_URL="+server.URL, "PORTICO_CAPTURE="+capture)
			for _, o := range outcomes {
				t.Run(o.Name, func(t *testing.T) {
					t.Logf("took %d ms", o.Milliseconds)
					if o.Error != "" {
						t.Error(o.Error)
					}
				})
			}
			names := make([]string, len(outcomes))
			for i, o := range outcomes {
				names[i] = o.Name
			}
			if !slices.Equal(names, steps) {
				t.Errorf("steps: got %q, want %q", names, steps)
			}
		})
	}
}

// serve starts a server with a worker. It must log no warning and no error: no application may
// cause one.
func serve(t *testing.T) *programtest.Process {
	t.Helper()
	server := programtest.Serve(t, program.Installation{Program: programtest.Build(t), Settings: []string{
		"PORTICO_ADDR=127.0.0.1:0", "PORTICO_DATA_DIR=" + t.TempDir(), "PORTICO_WORKERS=1",
		"PORTICO_DATABASE_URL=" + postgres.URL(t, testdb.Migrate), "PORTICO_LOG_FORMAT=json",
	}})
	t.Cleanup(func() {
		server.Stop()
		for _, line := range server.Log() {
			if !strings.Contains(line, `"level":"INFO"`) {
				t.Errorf("log of the server: got %s, want only INFO", line)
			}
		}
	})
	return server
}

// writeCapture writes a capture whose job takes several times as long as the worker waits between two
// reports of progress, on a disk in memory too, and returns its path.
func writeCapture(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "capture.zip")
	file, err := os.Create(path)
	check(t, err)
	_, err = splattest.Capture{Tiles: 12_000, TileBytes: 1 << 10}.WriteTo(file)
	check(t, err)
	check(t, file.Close())
	return path
}

// check ends the test if err is not nil.
func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
