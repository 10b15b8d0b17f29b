package db

import (
	"crypto/tls"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"portico/internal/testkit/postgres"
)

// Postgres ends all connections of a pool when it restarts. The next request must not fail
// for it.
func TestPool_leaves_connections_that_Postgres_has_ended(t *testing.T) {
	t.Parallel()
	address := postgres.URL(t, migrateTest)
	// By TCP, where the first words into a connection that has ended seem to arrive.
	through, broken := overTCP(t, address)
	db := openTest(t, Options{URL: through, Connections: 8, Logger: quiet()})
	settled(t, db)
	const idle = 6
	var together, opened sync.WaitGroup
	together.Add(idle)
	for range idle {
		opened.Go(func() {
			err := db.InTx(t.Context(), func(*DB) error {
				together.Done()
				together.Wait() // so each has one of its own
				return nil
			})
			if err != nil {
				t.Errorf("open a connection: %v", err)
			}
		})
	}
	opened.Wait()
	other := openTest(t, Options{URL: address, Connections: 2, Logger: quiet()})
	settled(t, other)
	const others = `FROM pg_stat_activity WHERE datname = current_database() AND query NOT LIKE 'LISTEN%' AND pid <> pg_backend_pid()`
	ended := number(t, other, "SELECT count(pg_terminate_backend(pid, 20000)) "+others)
	if ended < idle {
		t.Fatalf("connections ended: got %d, want at least %d", ended, idle)
	}
	for range ended {
		receive(t, broken, "the end of a connection")
	}
	for i := range 3 * idle {
		if _, err := db.Accounts().Users(t.Context(), "", 1); err != nil {
			t.Errorf("statement %d after the end of the connections: got %v, want no error", i, err)
		}
	}
}

// overTCP returns an address that leads to the same database by TCP, and a channel
// that receives whenever the database has ended a connection.
func overTCP(t *testing.T, socketURL string) (address string, broken <-chan struct{}) {
	t.Helper()
	ended := make(chan struct{}, 100)
	return throughRelay(t, socketURL, func(server, client net.Conn) {
		go relay(server, client)
		relay(client, server)
		ended <- struct{}{}
	}), ended
}

// throughRelay returns an address that leads to the same database by TCP. join connects each client
// with the database, until one of them ends.
func throughRelay(t *testing.T, socketURL string, join func(server, client net.Conn)) (address string) {
	t.Helper()
	u, err := url.Parse(socketURL) // unix://user:password@name/path/.s.PGSQL.5432
	check(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { check(t, listener.Close()) })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return // closed with the test
			}
			out, err := net.Dial("unix", u.Path)
			if err != nil {
				_ = in.Close()
				continue
			}
			go join(out, in)
		}
	}()
	over := url.URL{Scheme: "postgres", User: u.User, Host: listener.Addr().String(), Path: u.Host, RawQuery: "sslmode=disable"}
	return over.String()
}

// relay copies until one side ends, and ends the other.
func relay(to io.WriteCloser, from io.Reader) {
	_, _ = io.Copy(to, from) // however it ended
	_ = to.Close()
}

func TestIsIdle_finds_connections_that_ended(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { check(t, listener.Close()) })
	for _, test := range []struct {
		name string
		do   func(server net.Conn) error
		want bool
	}{
		{"nothing happens", func(net.Conn) error { return nil }, true},
		{"it has ended", net.Conn.Close, false},
		{"it says something", func(server net.Conn) error { _, err := server.Write([]byte("E")); return err }, false},
	} {
		client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
		check(t, err)
		server, err := listener.Accept()
		check(t, err)
		check(t, test.do(server))
		secured := tls.Client(client, &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true})
		// What was sent takes a moment to arrive.
		deadline, tick := time.After(time.Minute), time.Tick(time.Millisecond)
		for waiting := true; waiting && isIdle(client) != test.want; {
			select {
			case <-tick:
			case <-deadline:
				waiting = false
			}
		}
		if got := isIdle(client); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
		if got := isIdle(secured); got != test.want {
			t.Errorf("%s, with TLS: got %v, want %v", test.name, got, test.want)
		}
		_ = server.Close() // already, in one case
		check(t, client.Close())
		if isIdle(client) {
			t.Errorf("%s, and closed by us: got true, want false", test.name)
		}
	}
}
