package db

import (
	"io"
	"net"
	"net/url"
	"testing"
	"time"

	"portico/db/dial"
	"portico/internal/testkit/postgres"
)

// twoHosts returns an address with two hosts that lead to the same database. The first one falls
// silent when the channel is closed: like a server that is cut off, it accepts connections and
// answers nothing.
func twoHosts(t *testing.T) (address string, silence chan struct{}) {
	t.Helper()
	database := postgres.URL(t, migrateTest)
	silence = make(chan struct{})
	first := postgres.Relay(t, database, func(server, client net.Conn) {
		go postgres.Copy(stalling{server, silence, t.Context().Done()}, client)
		postgres.Copy(stalling{client, silence, t.Context().Done()}, server)
	})
	second, _ := overTCP(t, database)
	one, err := url.Parse(first)
	check(t, err)
	other, err := url.Parse(second)
	check(t, err)
	return "postgres://" + one.User.String() + "@" + one.Host + "," + other.Host + one.Path + "?sslmode=disable&target_session_attrs=read-write", silence
}

// stalling writes until the silence begins. Then it waits for the end of the test.
type stalling struct {
	io.WriteCloser
	silence <-chan struct{}
	end     <-chan struct{}
}

// Write implements io.Writer.
func (s stalling) Write(p []byte) (int, error) {
	select {
	case <-s.silence:
		<-s.end
		return 0, io.ErrClosedPipe
	default:
		return s.WriteCloser.Write(p)
	}
}

// A statement that waits for a server that is cut off ends, and the next ones, the notifications and
// the queue use the other server.
func TestDB_goes_on_with_another_host(t *testing.T) {
	t.Parallel()
	address, silence := twoHosts(t)
	db := openTest(t, Options{URL: address, Connections: 4, Logger: quiet()})
	settled(t, db)
	queue, err := db.QueuePool(t.Context(), 1)
	check(t, err)
	t.Cleanup(queue.Close)
	check(t, queue.Ping(t.Context()))
	woken := db.Watch(t.Context(), JobTopic("j"))
	close(silence)
	start := time.Now()
	if _, err := db.Accounts().Users(t.Context(), "", 1); !dial.Unavailable(err) {
		t.Errorf("a statement of the server that is cut off: got %v, want it unavailable", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("a statement of the server that is cut off: took %v, want at most 10s", took)
	}
	_, err = db.Accounts().Users(t.Context(), "", 1)
	check(t, err)
	check(t, queue.Ping(t.Context()))
	receive(t, woken, "the signal after the reconnect of the listener")
}

// After a switchover the old primary keeps its connections and refuses writes.
func TestPool_drops_the_connections_of_a_server_that_became_read_only(t *testing.T) {
	t.Parallel()
	db := openTest(t, Options{URL: postgres.URL(t, migrateTest), Connections: 1, Logger: quiet()})
	_, err := db.root.ExecContext(t.Context(), "SET default_transaction_read_only = on")
	check(t, err)
	write := func() error {
		_, err := db.root.ExecContext(t.Context(), "DELETE FROM reports")
		return err
	}
	if err := write(); !dial.Unavailable(err) {
		t.Fatalf("write to a server that is read-only: got %v, want it unavailable", err)
	}
	check(t, write())
}
