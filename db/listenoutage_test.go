package db

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/db/dial"
	"portico/internal/testkit/postgres"
)

func TestListen_logs_an_outage_once(t *testing.T) {
	t.Parallel()
	var isAway atomic.Bool
	isAway.Store(true)
	dials := make(chan struct{}, 100)
	a, err := dial.Parse(postgres.Relay(t, postgres.URL(t, migrateTest), func(server, client net.Conn) {
		if isAway.Load() {
			_, _ = server.Close(), client.Close()
			dials <- struct{}{}
			return
		}
		go postgres.Copy(server, client)
		postgres.Copy(client, server)
	}))
	check(t, err)
	root := a.Open(dial.Pool{Connections: 1, StatementTimeout: time.Minute})
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
	if len(lines) != 2 || !strings.Contains(lines[0], "lost the connection for notifications") || !strings.Contains(lines[1], "works again") {
		t.Errorf("log: got %d lines, want the first failure and the recovery\n%s", len(lines), &log)
	}
}
