package db

import (
	"net"
	"sync"
	"testing"

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
	return postgres.Relay(t, socketURL, func(server, client net.Conn) {
		go postgres.Copy(server, client)
		postgres.Copy(client, server)
		ended <- struct{}{}
	}), ended
}
