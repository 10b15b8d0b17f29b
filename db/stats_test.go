package db

import (
	"testing"
	"time"
)

func TestQueueLengths(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	for _, state := range []string{"running", "running", "available", "completed"} {
		_, err := db.root.ExecContext(t.Context(), `
			INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, scheduled_at, finalized_at)
			VALUES ('{}', 'job', 10, 1, 'default', ?, now() - interval '1 hour', CASE WHEN ? = 'completed' THEN now() END)`, state, state)
		check(t, err)
	}
	got, err := db.QueueLengths(t.Context())
	check(t, err)
	if len(got) != 2 || got[0].State != "available" || got[0].Jobs != 1 || got[1].State != "running" || got[1].Jobs != 2 {
		t.Fatalf("got %+v, want one available and two running", got)
	}
	if oldest := got[0].Oldest; oldest < time.Hour || oldest > time.Hour+time.Minute {
		t.Errorf("oldest: got %v, want an hour", oldest)
	}
	if stats := db.PoolStats(); stats.OpenConnections < 1 {
		t.Errorf("connections: got %d, want at least one", stats.OpenConnections)
	}
}
