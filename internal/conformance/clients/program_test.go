package clients

import (
	"strings"
	"testing"

	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/internal/testkit/program"
	"portico/internal/testkit/program/programtest"
)

// serve starts a server with its own database and returns when it serves. At its end it
// must have logged no error, because no client may cause one. A data race ends it with
// code 66.
func serve(t *testing.T, path string, settings ...string) *programtest.Process {
	t.Helper()
	own := append([]string{
		"PORTICO_ADDR=127.0.0.1:0", "PORTICO_DATA_DIR=" + t.TempDir(),
		"PORTICO_DATABASE_URL=" + postgres.URL(t, testdb.Migrate), "PORTICO_LOG_FORMAT=json",
	}, settings...)
	server := programtest.Serve(t, program.Installation{Program: path, Settings: own})
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

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
