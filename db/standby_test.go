package db

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"

	"portico/internal/testkit/postgres"
)

// After a failover the address of the database may lead to a standby, which accepts connections and
// refuses LISTEN. The pauses between two attempts must grow then, as without a connection.
func TestReceive_reports_that_LISTEN_is_refused(t *testing.T) {
	t.Parallel()
	address := postgres.Relay(t, postgres.URL(t, migrateTest), func(server, client net.Conn) {
		go postgres.Copy(client, server)
		relayWithoutListen(server, client)
	})
	db := openTest(t, Options{URL: address, Connections: 2, Logger: quiet()})
	l := newListener(db.root, db.address, "sender", Options{Logger: quiet()})
	t.Cleanup(l.stop)
	listened, err := l.receive(t.Context())
	if err == nil || !strings.Contains(err.Error(), refusal) {
		t.Errorf("error: got %v, want %q", err, refusal)
	}
	if listened {
		t.Error("listened: got true, want false, which makes the next pause longer")
	}
}

// refusal is the message of a standby.
const refusal = "cannot execute LISTEN during recovery"

// relayWithoutListen copies from a client to the database until one of them ends. It answers LISTEN
// as a standby does. The cluster of the tests writes no log for a real standby.
func relayWithoutListen(server io.WriteCloser, client io.ReadWriter) {
	defer func() { _ = server.Close() }() // it may have ended
	const fields = "SERROR\x00VERROR\x00C25006\x00M" + refusal + "\x00\x00"
	response := binary.BigEndian.AppendUint32([]byte("E"), uint32(4+len(fields)))
	response = append(append(response, fields...), "Z\x00\x00\x00\x05I"...) // ready for the next query
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		to, message := io.Writer(server), buffer[:n]
		if bytes.Contains(message, []byte("LISTEN ")) {
			to, message = client, response
		}
		if _, err := to.Write(message); err != nil {
			return
		}
	}
}
