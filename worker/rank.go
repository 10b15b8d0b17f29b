package worker

import (
	"context"
	"time"

	"portico/internal/background"
)

// rankInterval is how often a worker orders the background work that waits. River looks for work as
// often.
const rankInterval = time.Second

// rankQueue lets accounts take turns at background work, until ctx ends.
func (w *Worker) rankQueue(ctx context.Context) {
	var outage background.OutageLog
	ticker := time.NewTicker(rankInterval)
	defer ticker.Stop()
	for {
		err := w.DB.RankQueue(ctx)
		if ctx.Err() == nil {
			outage.Record(w.Logger, err, "order the background work", "the background work is ordered again")
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
