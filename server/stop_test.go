package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"portico/server/connection"
	"portico/server/observe"
)

// A request never ends, the worker does not stop, the database does not answer, and nothing closes.
func TestStop_ends_at_its_deadline_if_every_step_hangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &Program{Logger: slog.New(slog.DiscardHandler)}
		hang := make(chan struct{})
		defer close(hang)
		server := serveHangingRequest(t, hang)
		counted := observe.RequestCount{}
		counted.Add("/graphql", http.StatusOK)
		storeLastCounts := counted.StartStoring(func(context.Context, int64, int64) error { <-hang; return nil }, p.Logger)
		addDatabase(p, func() error { <-hang; return nil })
		for range 10 {
			p.onClose("rate limiter", func() error { <-hang; return nil })
		}
		p.onCloseWithContext(func(ctx context.Context) error { <-ctx.Done(); return nil })

		signaled := time.Now()
		var worker sync.WaitGroup
		worker.Go(func() { p.stopWorker(func(context.Context) error { <-hang; return nil }) })
		p.stopServing(server, connection.NewStreams(), storeLastCounts)
		worker.Wait()
		if got, want := time.Since(signaled), drainTimeout+countsTimeout; got != want {
			t.Errorf("stop of requests and jobs: got %v, want %v, which leaves time for Close", got, want)
		}
		err := p.Close()
		if got := time.Since(signaled); got != stopTimeout {
			t.Errorf("stop: got %v, want %v", got, stopTimeout)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close: got %v, want %v", err, context.DeadlineExceeded)
		}
	})
}

// serveHangingRequest returns a server whose only request runs until hang is closed.
func serveHangingRequest(t *testing.T, hang <-chan struct{}) *http.Server {
	t.Helper()
	arrived := make(chan struct{})
	server := &http.Server{ReadHeaderTimeout: time.Hour, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-hang
	})}
	client, conn := net.Pipe()
	listener := &pipeListener{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
	listener.conn <- conn
	go func() { _ = server.Serve(listener) }() // ends with Shutdown
	_, err := client.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
	check(t, err)
	<-arrived
	return server
}

// pipeListener accepts one connection in memory: a synctest bubble cannot wait for the network.
type pipeListener struct {
	conn   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// Accept implements net.Listener.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conn:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (*pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// addDatabase adds a database that closes by closer.
func addDatabase(p *Program, closer func() error) {
	p.onCloseWithContext(func(ctx context.Context) error { return closeDatabase(ctx, closer) })
}

func TestClose_leaves_time_for_the_steps_after_one_that_hangs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		add  func(p *Program, hang func() error)
		want time.Duration
	}{
		{"rate limiter", func(p *Program, hang func() error) { p.onClose("rate limiter", hang) }, stopTimeout - closeTimeout},
		{"database", addDatabase, closeTimeout}, // the private Postgres is next
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var p Program
				hang := make(chan struct{})
				defer close(hang)
				var left time.Duration
				p.onCloseWithContext(func(ctx context.Context) error {
					deadline, _ := ctx.Deadline()
					left = time.Until(deadline)
					return nil
				})
				test.add(&p, func() error { <-hang; return nil })
				err := p.Close()
				if err == nil || !strings.Contains(err.Error(), "close the "+test.name+": ") {
					t.Errorf("Close: got %v, want an error that names the %s", err, test.name)
				}
				if left != test.want {
					t.Errorf("time for the next step: got %v, want %v", left, test.want)
				}
			})
		})
	}
}

// With a slow Postgres, the database stores change times and announcements for 20 s.
func TestClose_waits_for_a_slow_database(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p Program
		stored := false
		addDatabase(&p, func() error {
			time.Sleep(20 * time.Second) // of the bubble's clock
			stored = true
			return nil
		})
		if err := p.Close(); err != nil || !stored {
			t.Errorf("Close: got %v, stored %t, want everything to be stored", err, stored)
		}
	})
}

// The private Postgres kills its own processes within five seconds of SIGQUIT.
func TestStop_ends_before_the_service_files_kill_the_process(t *testing.T) {
	t.Parallel()
	const want = stopTimeout + 5*time.Second
	limit := regexp.MustCompile(`(?:TimeoutStopSec=|stop_grace_period: |--stop-timeout )(\d+)`)
	for _, name := range []string{"portico.service", "portico-worker.service", "compose.yaml", "Dockerfile"} {
		text, err := os.ReadFile(filepath.Join("..", "docs", "deploy", name))
		check(t, err)
		found := limit.FindSubmatch(text)
		if found == nil {
			t.Errorf("%s: got no time limit of the stop, want one", name)
			continue
		}
		got, err := time.ParseDuration(string(found[1]) + "s")
		check(t, err)
		if got <= want {
			t.Errorf("%s kills after %v, want more than %v", name, got, want)
		}
	}
}
