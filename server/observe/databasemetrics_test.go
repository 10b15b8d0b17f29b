package observe

import (
	"bytes"
	"log/slog"
	"strings"
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
	logger := slog.New(slog.NewTextHandler(&log, nil))
	(&databaseCollector{database: database, logger: logger, isStopping: func() bool { return true }}).Collect(make(chan prometheus.Metric, 10))
	if log.Len() > 0 {
		t.Errorf("log: got %s, want nothing", log.String())
	}
}

// Prometheus scrapes every few seconds.
func TestDatabaseCollector_logs_an_outage_once(t *testing.T) {
	t.Parallel()
	closed, err := db.Open(t.Context(), db.Options{URL: postgres.URL(t, testdb.Migrate)})
	check(t, err)
	check(t, closed.Close())
	var log bytes.Buffer
	c := &databaseCollector{logger: slog.New(slog.NewTextHandler(&log, nil)), isStopping: func() bool { return false }}
	for _, database := range []*db.DB{closed, testdb.Open(t)} {
		c.database = database
		for range 2 {
			c.Collect(make(chan prometheus.Metric, 100))
		}
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "metrics lack the queue") || !strings.Contains(lines[1], "metrics have the queue again") {
		t.Errorf("log: got %d lines, want the first failure and the recovery\n%s", len(lines), &log)
	}
}
