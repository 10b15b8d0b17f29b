package db

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"portico/internal/testkit/postgres"
)

// A busy server announces a hundred times a second.
func TestAnnouncer_logs_an_outage_once(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	closed, open := openToClose(t, url), openTest(t, Options{URL: url, Logger: quiet()})
	check(t, closed.Close())
	var log bytes.Buffer
	a := newAnnouncer(closed.prepared, "sender", slog.New(slog.NewTextHandler(&log, nil)))
	for _, database := range []*DB{closed, open} {
		a.prepared = database.prepared
		for range 2 {
			a.send([]Topic{"a"})
		}
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "announce changes") || !strings.Contains(lines[1], "changes are announced again") {
		t.Errorf("log: got %d lines, want the first failure and the recovery\n%s", len(lines), &log)
	}
}
