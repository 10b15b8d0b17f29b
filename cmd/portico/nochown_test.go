package main

import (
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/testkit/nochown"
	"portico/internal/testkit/postgres"
)

// A share of NFS or SMB lets no owner be changed. Captures are converted there without the user of
// conversions, and the log says so once.
func TestCaptures_in_a_data_folder_without_owners(t *testing.T) {
	t.Parallel()
	server := serve(t, filepath.Join(nochown.Folder(t), "data"), "PORTICO_DATABASE_URL="+postgres.URL(t, migrate))
	c := server.newUser(t, "nas@example.com")
	if done := c.Await(c.StartJob("scan.zip", lccScan(t))); done.Status != "completed" {
		t.Errorf("job: got %+v, want it completed", done)
	}
	const line = "the data folder keeps its owners"
	if log := strings.Join(server.Log(), "\n"); strings.Count(log, line) != 1 {
		t.Errorf("log: got %s, want one line with %q", log, line)
	}
}
