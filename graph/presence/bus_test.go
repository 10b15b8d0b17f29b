package presence

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"
)

// A Redis that accepts connections and never answers delays each join, so operators must see it.
func TestBus_logs_a_Redis_that_hangs_during_a_join(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }() // ends the connections, too
	var log bytes.Buffer
	rooms := &Rooms{options: Options{Interval: time.Millisecond, Logger: slog.New(slog.NewTextHandler(&log, nil))}}
	b, err := newBus(rooms, "redis://"+listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.close() }() // Redis does not answer
	if b.isBanned(t.Context(), "key") {
		t.Error("isBanned: got true, want false")
	}
	if got := log.String(); !strings.Contains(got, "redis does not answer") {
		t.Errorf("log: got %q, want the outage", got)
	}
}
