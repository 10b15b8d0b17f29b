package db

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/internal/testkit/postgres"
)

func TestListen_logs_an_outage_once(t *testing.T) {
	t.Parallel()
	connector, err := newConnector(postgres.URL(t, migrateTest), time.Minute)
	check(t, err)
	var isAway atomic.Bool
	isAway.Store(true)
	dials, dial := make(chan struct{}, 100), connector.Config().Dialer
	connector.Config().Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if isAway.Load() {
			dials <- struct{}{}
			return nil, errors.New("the database is away")
		}
		return dial(ctx, network, addr)
	}
	root := bun.NewDB(sql.OpenDB(connector), pgdialect.New())
	defer func() { check(t, root.Close()) }()
	var log bytes.Buffer
	l := newListener(root, "sender", Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
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
