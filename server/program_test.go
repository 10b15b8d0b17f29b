package server

import (
	"context"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
)

// A listener fails. While the program waits for its last request, it is also asked to stop.
func TestServe_reports_a_failed_listener_to_a_program_that_stops(t *testing.T) {
	t.Parallel()
	var config Config
	parser, err := kong.New(&config, kong.Vars(Defaults()))
	check(t, err)
	_, err = parser.Parse([]string{"--addr=127.0.0.1:0", "--data-dir=" + t.TempDir(), "--database-url=" + postgres.URL(t, testdb.Migrate), "--workers=0"})
	check(t, err)
	p := &Program{Config: config, Logger: slog.New(slog.DiscardHandler)}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx) }()
	await := func(wanted stage) {
		for stage(p.stage.Load()) != wanted {
			if len(ended) > 0 {
				t.Fatal(<-ended)
			}
			runtime.Gosched()
		}
	}
	await(running)
	address := p.listeners[0].Addr().String()
	open := send(t, address, "GET /livez HTTP/1.1\r\nHost: x\r\n")
	// The server accepts connections in their order, so it has accepted the one that stays open.
	answered := send(t, address, "GET /livez HTTP/1.0\r\n\r\n")
	_, err = io.ReadAll(answered)
	check(t, err)
	check(t, p.listeners[0].Close())
	await(stopping)
	stop()
	check(t, open.Close())
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "serve: ") {
		t.Errorf("Serve: got %v, want the error of the listener", err)
	}
	check(t, p.Close())
}

// send opens a connection and sends a text.
func send(t *testing.T, address, text string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	check(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = conn.Write([]byte(text))
	check(t, err)
	return conn
}
