package db

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"portico/internal/testkit/postgres"
)

func TestListen_logs_an_outage_once(t *testing.T) {
	t.Parallel()
	a, err := parseAddress(postgres.URL(t, migrateTest))
	check(t, err)
	var isAway atomic.Bool
	isAway.Store(true)
	dials := make(chan struct{}, 100)
	a.dialer.Control = func(string, string, syscall.RawConn) error {
		if isAway.Load() {
			dials <- struct{}{}
			return errors.New("the database is away")
		}
		return nil
	}
	root := a.connect(Options{StatementTimeout: time.Minute})
	defer func() { check(t, root.Close()) }()
	var log bytes.Buffer
	l := newListener(root, a, "sender", Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	watched := l.watch(t.Context(), []Topic{"a"})
	defer l.stop()
	l.loops.Go(l.run)
	receive(t, dials, "the first attempt")
	receive(t, dials, "the second attempt")
	isAway.Store(false)
	receive(t, watched, "the signal after the outage")
	l.stop()
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "the database is away") || !strings.Contains(lines[1], "works again") {
		t.Errorf("log: got %d lines, want the first failure and the recovery\n%s", len(lines), &log)
	}
}
