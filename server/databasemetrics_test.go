package server

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"portico/db"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
)

// The database may be closed when the last scrape comes.
func TestDatabaseCollector_reads_no_queue_while_the_program_stops(t *testing.T) {
	t.Parallel()
	database, err := db.Open(t.Context(), db.Options{URL: postgres.URL(t, testdb.Migrate)})
	check(t, err)
	check(t, database.Close())
	var log bytes.Buffer
	p := &Program{DB: database, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	p.stage.Store(int32(stopping))
	databaseCollector{program: p}.Collect(make(chan prometheus.Metric, 10))
	if log.Len() > 0 {
		t.Errorf("log: got %s, want nothing", log.String())
	}
}
