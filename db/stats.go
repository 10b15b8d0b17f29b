package db

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// PoolStats returns how the connections of this process are used.
func (db *DB) PoolStats() sql.DBStats { return db.root.Stats() }

// QueueLength is how many jobs of a kind the queue holds in one state.
type QueueLength struct {
	Kind  string // as River knows it: JobKind, PreparationKind and ViewKind among them
	State string // available, retryable, running or scheduled
	Jobs  int64
	// Oldest is how long the one that waits longest could have run by now.
	Oldest time.Duration
}

// QueueLengths returns what is in the queue and has not ended.
func (db *DB) QueueLengths(ctx context.Context) ([]QueueLength, error) {
	var rows []struct {
		Kind, State string
		Jobs        int64
		Oldest      float64 // seconds
	}
	err := db.idb.NewRaw(`
		SELECT kind, state, count(*) AS jobs, greatest(extract(epoch FROM now() - min(scheduled_at)), 0) AS oldest
		FROM river_job WHERE state IN ('available', 'retryable', 'running', 'scheduled')
		GROUP BY kind, state ORDER BY kind, state`).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("count the queue: %w", translate(err))
	}
	lengths := make([]QueueLength, len(rows))
	for i, r := range rows {
		lengths[i] = QueueLength{r.Kind, r.State, r.Jobs, time.Duration(r.Oldest * float64(time.Second))}
	}
	return lengths, nil
}
