package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/server/settings"
)

// newTestProgram returns a program without workers, and with an empty database.
func newTestProgram(t *testing.T) *Program {
	t.Helper()
	var config settings.Config
	parser, err := kong.New(&config, kong.Vars(settings.Defaults()))
	check(t, err)
	_, err = parser.Parse([]string{"--addr=127.0.0.1:0", "--data-dir=" + t.TempDir(), "--database-url=" + postgres.URL(t, testdb.Migrate), "--workers=0"})
	check(t, err)
	return &Program{Config: config, Logger: slog.New(slog.DiscardHandler)}
}

// The database and the storage answer before requests are served, which may take a while.
func TestReadyz_answers_503_until_requests_are_served(t *testing.T) {
	t.Parallel()
	p := newTestProgram(t)
	ready := func() string {
		recorder := httptest.NewRecorder()
		p.readyz(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody))
		return fmt.Sprintf("%d %s", recorder.Code, strings.TrimSpace(recorder.Body.String()))
	}
	listener, err := p.Listen(t.Context())
	check(t, err)
	check(t, p.Open(t.Context()))
	if got, want := ready(), "503 starting"; got != want {
		t.Errorf("readyz before Run: got %q, want %q", got, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx, listener) }()
	open := send(t, p.address, "GET /livez HTTP/1.0\r\n\r\n")
	_, err = io.ReadAll(open)
	check(t, err)
	if got, want := ready(), "200 ok\nversion "+Version(); got != want {
		t.Errorf("readyz while requests are served: got %q, want %q", got, want)
	}
	stop()
	check(t, <-ended)
	if got, want := ready(), "503 stopping"; got != want {
		t.Errorf("readyz after Run: got %q, want %q", got, want)
	}
	check(t, p.Close())
}

// A listener fails. While the program waits for its last request, it is also asked to stop.
func TestServe_reports_a_failed_listener_to_a_program_that_stops(t *testing.T) {
	t.Parallel()
	p := newTestProgram(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx) }()
	await := func(wanted stage) {
		for p.stage.current() != wanted {
			if len(ended) > 0 {
				t.Fatal(<-ended)
			}
			runtime.Gosched()
		}
	}
	await(running)
	open := send(t, p.address, "GET /livez HTTP/1.1\r\nHost: x\r\n")
	// The server accepts connections in their order, so it has accepted the one that stays open.
	response := send(t, p.address, "GET /livez HTTP/1.0\r\n\r\n")
	_, err := io.ReadAll(response)
	check(t, err)
	check(t, p.closers[0](ctx)) // closes the listener, which was opened first
	await(stopping)
	stop()
	check(t, open.Close())
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "serve: ") {
		t.Errorf("Serve: got %v, want the error of the listener", err)
	}
	check(t, p.Close())
}

func TestClose_closes_in_the_opposite_order_and_reports_all_errors(t *testing.T) {
	t.Parallel()
	var p Program
	var closed []string
	broken := errors.New("broken")
	for _, name := range []string{"database", "store", "resolver"} {
		p.onClose(name, func() error {
			closed = append(closed, name)
			return fmt.Errorf("%s: %w", name, broken)
		})
	}
	err := p.Close()
	if want := []string{"resolver", "store", "database"}; !slices.Equal(closed, want) {
		t.Errorf("closed: got %v, want %v", closed, want)
	}
	for _, name := range closed {
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), name) {
			t.Errorf("error of Close: got %v, want the error of the %s in it", err, name)
		}
	}
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
