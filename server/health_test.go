package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/testkit/postgres/testdb"
	"portico/storage/disk"
)

func TestReadiness_probes_at_most_once_a_second(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var checked readiness
		probes, result := 0, ""
		probe := func() string {
			probes++
			time.Sleep(100 * time.Millisecond) // of the bubble's clock
			return result
		}
		ask := func(want string) {
			t.Helper()
			if got, err := checked.check(t.Context(), probe); got != want || err != nil {
				t.Errorf("check: got %q, %v, want %q", got, err, want)
			}
		}
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { ask("") })
		}
		all.Wait()
		result = "storage does not answer"
		time.Sleep(maxResultAge - time.Millisecond)
		ask("")
		if probes != 1 {
			t.Errorf("probes of the first second: got %d, want 1", probes)
		}
		time.Sleep(time.Millisecond)
		ask(result)
		time.Sleep(maxResultAge / 2)
		ask(result)
		if probes != 2 {
			t.Errorf("probes: got %d, want 2", probes)
		}
	})
}

func TestReadiness_returns_when_the_client_leaves(t *testing.T) {
	t.Parallel()
	var checked readiness
	hung := make(chan struct{})
	probe := func() string { <-hung; return "" }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := checked.check(ctx, probe); !errors.Is(err, context.Canceled) {
		t.Errorf("check: got %v, want %v", err, context.Canceled)
	}
	close(hung)
	if got, err := checked.check(t.Context(), probe); got != "" || err != nil { // of the same probe
		t.Errorf("check: got %q, %v, want that all is there", got, err)
	}
}

func TestReadiness_logs_an_outage_once(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files, err := disk.Open(disk.Options{Folder: dir, BaseURL: "http://localhost", Secret: []byte("0123456789abcdef")})
	check(t, err)
	t.Cleanup(func() { check(t, files.Close()) })
	var log bytes.Buffer
	p := &Program{DB: testdb.Open(t), store: files, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	incoming := filepath.Join(dir, "incoming")
	checkTwice := func(want string) {
		t.Helper()
		for range 2 {
			if got := p.checkDependencies(); got != want {
				t.Errorf("check: got %q, want %q", got, want)
			}
		}
	}
	checkTwice("")
	check(t, os.Rename(incoming, incoming+"-away"))
	checkTwice("storage does not answer")
	check(t, os.Rename(incoming+"-away", incoming))
	checkTwice("")
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "storage does not answer") || !strings.Contains(lines[1], "ready again") {
		t.Errorf("log: got %d lines, want the first failure and the recovery\n%s", len(lines), &log)
	}
}

// A check uses the database and the storage, which Close closes.
func TestClose_waits_for_the_check_of_a_probe(t *testing.T) {
	t.Parallel()
	p := newTestProgram(t)
	check(t, p.Open(t.Context()))
	closing, missing := make(chan struct{}), make(chan string, 1)
	p.onClose("test", func() error { // is called first
		close(closing)
		return nil
	})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.readiness.check(gone, func() string {
		<-closing
		missing <- p.checkDependencies()
		return ""
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("check: got %v, want %v", err, context.Canceled)
	}
	check(t, p.Close())
	if len(missing) == 0 {
		t.Fatal("Close: got a return while the check runs, want that it waits")
	}
	if got := <-missing; got != "" {
		t.Errorf("check during Close: got %q, want that all is there", got)
	}
}

func TestReadiness_starts_no_check_after_its_end(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Bool
		var checked readiness
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := checked.check(gone, func() string {
			time.Sleep(time.Second) // of the bubble's clock
			ended.Store(true)
			return ""
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("check: got %v, want %v", err, context.Canceled)
		}
		checked.close(t.Context())
		if !ended.Load() {
			t.Error("close: got a return while the check runs, want that it waits")
		}
		time.Sleep(maxResultAge)
		got, err := checked.check(t.Context(), func() string { t.Error("a check starts after close"); return "" })
		if got == "" || err != nil {
			t.Errorf("check after close: got %q, %v, want that the program stops", got, err)
		}
	})
}

func TestReadiness_does_not_wait_for_ever_at_its_end(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var checked readiness
		hung := make(chan struct{})
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := checked.check(gone, func() string { <-hung; return "" }); !errors.Is(err, context.Canceled) {
			t.Errorf("check: got %v, want %v", err, context.Canceled)
		}
		start := time.Now()
		checked.close(t.Context())
		if got := time.Since(start); got != dependencyTimeout {
			t.Errorf("close: got %v, want %v", got, dependencyTimeout)
		}
		close(hung)
	})
}
