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
		checkOutageLog(t, &log)
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

// checkOutageLog checks that the log has the first failure and the recovery.
func checkOutageLog(t *testing.T, log *logBuffer) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "the database is away") || !strings.Contains(lines[1], "no read for a subscription fails") {
		t.Errorf("log: got %d lines, want the first failure and the recovery:\n%s", len(lines), lines[0])
	}
}

// A feed reads the database itself while its reader is behind what the subscriptions share.
func TestFollow_in_an_outage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logBuffer
		r := &Resolver{Logger: slog.New(slog.NewTextHandler(&log, nil))}
		ctx, cancel := context.WithCancel(t.Context())
		outage := time.Now().Add(4 * pollInterval)
		var feeds []<-chan int
		for range 100 {
			feeds = append(feeds, follow(ctx, r, nil, &stateFeed[int]{
				load: func(context.Context) (int, error) {
					if time.Now().Before(outage) {
						return 0, errAway
					}
					return 1, nil
				},
				equal:   func(a, b int) bool { return a == b },
				isFinal: func(int) bool { return false },
			}, func() {}))
		}
		for _, feed := range feeds {
			wantState(t, feed, 1)
		}
		cancel()
		for _, feed := range feeds {
			drain(t, feed)
		}
		checkOutageLog(t, &log)
	})
}
