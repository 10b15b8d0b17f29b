package graph

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// While the database is unavailable, the reads of all values fail.
func TestRepeatRead_in_an_outage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const values = 100
		var log logBuffer
		r := &Resolver{Logger: slog.New(slog.NewTextHandler(&log, nil))}
		ctx, cancel := context.WithCancel(t.Context())
		outage := time.Now().Add(time.Minute)
		var mu sync.Mutex
		first := map[time.Time]int{} // how many values were read first at a time after the outage
		var running sync.WaitGroup
		for range values {
			isRead := false
			running.Go(func() {
				r.repeatRead(ctx, nil, nil, func(context.Context) (again, pause time.Duration, err error) {
					if time.Now().Before(outage) {
						return 0, 0, errors.New("the database is away")
					}
					mu.Lock()
					defer mu.Unlock()
					if !isRead {
						isRead = true
						first[time.Now()]++
					}
					return 0, 0, nil
				})
			})
		}
		time.Sleep(2 * time.Minute) // of the bubble's clock
		cancel()
		running.Wait()
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if len(lines) != 2 || !strings.Contains(lines[0], "the database is away") || !strings.Contains(lines[1], "no read for a subscription fails") {
			t.Errorf("log: got %d lines, want the first failure and the recovery:\n%s", len(lines), lines[0])
		}
		read := 0
		for at, count := range first {
			read += count
			if count > values/10 {
				t.Errorf("reads at %v: got %d of %d, want them at different times", at, count, values)
			}
		}
		if read != values {
			t.Errorf("values read after the outage: got %d, want %d", read, values)
		}
	})
}
