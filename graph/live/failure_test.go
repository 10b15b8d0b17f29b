package live

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/testkit/logs"
)

// While the database is unavailable, the reads of all values fail.
func TestRepeatRead_in_an_outage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const values = 100
		var log logs.Buffer
		e := &engine{log: slog.New(slog.NewTextHandler(&log, nil))}
		ctx, cancel := context.WithCancel(t.Context())
		outage := time.Now().Add(time.Minute)
		var mu sync.Mutex
		first := map[time.Time]int{} // how many values were read first at a time after the outage
		var running sync.WaitGroup
		for range values {
			isRead := false
			running.Go(func() {
				e.repeatRead(ctx, nil, nil, func(context.Context) (again, pause time.Duration, err error) {
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
		checkLog(t, &log, "the database is away", "no read for a subscription fails")
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

// checkLog checks that the log has these texts, each in a line of its own, and no other lines.
func checkLog(t *testing.T, log *logs.Buffer, want ...string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != len(want) {
		t.Fatalf("log: got %d lines, want %d, which have %q\n%s", len(lines), len(want), want, log)
	}
	for i, text := range want {
		if !strings.Contains(lines[i], text) {
			t.Errorf("line %d of the log: got %s, want %q in it", i+1, lines[i], text)
		}
	}
}

// A feed reads the database itself while its reader is behind what the subscriptions share.
func TestFeed_in_an_outage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logs.Buffer
		e := &engine{log: slog.New(slog.NewTextHandler(&log, nil))}
		ctx, cancel := context.WithCancel(t.Context())
		outage := time.Now().Add(4 * pollInterval)
		var feeds []<-chan int
		for range 100 {
			feeds = append(feeds, startFeed(ctx, e, nil, &stateFeed[int]{
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
		checkLog(t, &log, "the database is away", "no read for a subscription fails")
	})
}

// The reads of one account may fail for days, for example because its list takes too long.
func TestReadFailures_log_an_outage_while_one_reader_always_fails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logs.Buffer
		logger, failures := slog.New(slog.NewTextHandler(&log, nil)), &readFailures{}
		always := failures.update(logger, false, errors.New("the list takes too long"))
		time.Sleep(time.Hour) // of the bubble's clock
		other := failures.update(logger, false, errAway)
		for range 10 {
			always = failures.update(logger, always, errors.New("the list takes too long"))
			other = failures.update(logger, other, errAway)
		}
		other = failures.update(logger, other, nil)
		checkLog(t, &log, "failing=1 error=\"the list takes too long\"", "failing=2 error=\"the database is away\"")
		failures.end(other)
		failures.update(logger, always, nil)
		checkLog(t, &log, "the list takes too long", "the database is away", "no read for a subscription fails")
	})
}

// The last client whose reads fail may leave during an outage, and other clients may come.
func TestReadFailures_log_no_recovery_when_a_reader_ends(t *testing.T) {
	t.Parallel()
	var log logs.Buffer
	logger, failures := slog.New(slog.NewTextHandler(&log, nil)), &readFailures{}
	for range 10 {
		failures.end(failures.update(logger, false, errAway))
	}
	checkLog(t, &log, "the database is away")
	for range 10 {
		failures.end(failures.update(logger, false, nil))
	}
	checkLog(t, &log, "the database is away", "no read for a subscription fails")
}

// A client leaves during an outage.
func TestFeed_logs_no_recovery_when_its_client_leaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, out, cancel, log := startScripted(t)
		s.readings <- reading{err: errAway}
		synctest.Wait()
		cancel()
		drain(t, out)
		checkLog(t, log, "the database is away")
	})
}

// A value may lose its last subscriber during an outage.
func TestRepeatRead_logs_no_recovery_when_it_ends(t *testing.T) {
	t.Parallel()
	var log logs.Buffer
	e := &engine{log: slog.New(slog.NewTextHandler(&log, nil))}
	ctx, cancel := context.WithCancel(t.Context())
	seen := log.Await("the database is away")
	defer cancel()
	var running sync.WaitGroup
	running.Go(func() {
		e.repeatRead(ctx, nil, nil, func(context.Context) (again, pause time.Duration, err error) { return 0, 0, errAway })
	})
	<-seen
	cancel()
	running.Wait()
	checkLog(t, &log, "the database is away")
}
