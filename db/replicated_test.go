package db

import (
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"portico/db/dial"
	"portico/internal/testkit/postgres"
)

// What the primary has committed alone is not confirmed: a statement, a transaction, and a
// transaction of the queue.
func TestDB_confirms_nothing_that_the_standby_lacks(t *testing.T) {
	t.Parallel()
	var alone atomic.Bool
	address := postgres.Relay(t, postgres.URL(t, migrateTest), func(server, client net.Conn) {
		go postgres.Copy(server, client)
		postgres.Copy(warning{client, &alone}, server)
	})
	db := openTest(t, Options{URL: address, Connections: 2, Logger: quiet()})
	settled(t, db)
	queue, err := db.QueuePool(t.Context(), 1)
	check(t, err)
	t.Cleanup(queue.Close)
	const write = "DELETE FROM reports"
	statement := func() error {
		_, err := db.root.ExecContext(t.Context(), write)
		return err
	}
	transaction := func() error {
		return db.InTx(t.Context(), func(tx *DB) error {
			_, err := tx.idb.NewRaw(write).Exec(t.Context())
			return err
		})
	}
	ofQueue := func() error {
		_, err := queue.Exec(t.Context(), write)
		return err
	}
	for name, do := range map[string]func() error{"statement": statement, "transaction": transaction, "statement of the queue": ofQueue} {
		check(t, do())
		alone.Store(true)
		err := do()
		alone.Store(false)
		if err == nil || name != "statement of the queue" && !dial.Unavailable(err) || MayBeCommitted(err) != (name == "transaction") {
			t.Errorf("%s: got %v, want that it is not replicated", name, err)
		}
		check(t, do())
	}
}

// unreplicated is the warning of a server whose commit was to wait for its standby.
const unreplicated = "N\x00\x00\x00\x21SWARNING\x00RSyncRepWaitForLSN\x00\x00"

// warning writes the warning in front of the end of each transaction while alone is true. It relies on
// responses that arrive in one piece, as short ones do.
type warning struct {
	io.WriteCloser
	alone *atomic.Bool
}

// Write implements io.Writer.
func (w warning) Write(p []byte) (int, error) {
	text := string(p)
	if w.alone.Load() {
		for _, end := range []string{"C\x00\x00\x00\x0bCOMMIT\x00", "C\x00\x00\x00\x0dDELETE 0\x00Z\x00\x00\x00\x05I"} {
			text = strings.ReplaceAll(text, end, unreplicated+end)
		}
	}
	if _, err := io.WriteString(w.WriteCloser, text); err != nil {
		return 0, err
	}
	return len(p), nil
}
