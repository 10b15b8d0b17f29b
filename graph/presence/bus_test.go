package presence

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"portico/model"
)

// hangingRooms returns rooms whose Redis accepts connections and never answers, with their log.
// They send no messages.
func hangingRooms(t *testing.T) (*Rooms, *bytes.Buffer) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	rooms := &Rooms{options: Options{Interval: time.Millisecond, Logger: slog.New(slog.NewTextHandler(&log, nil))}}
	rooms.bus, err = newBus(rooms, "redis://"+listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = rooms.bus.close() // Redis does not answer
		_ = listener.Close()  // ends the connections, too
	})
	return rooms, &log
}

// A Redis that accepts connections and never answers delays each join, so operators must see it.
func TestBus_logs_a_Redis_that_hangs_during_a_join(t *testing.T) {
	t.Parallel()
	rooms, log := hangingRooms(t)
	if rooms.bus.isBanned(t.Context(), "key") {
		t.Error("isBanned: got true, want false")
	}
	if got := log.String(); !strings.Contains(got, "redis does not answer") {
		t.Errorf("log: got %q, want the outage", got)
	}
}

// Removed visitors try to join again and again.
func TestJoin_refuses_a_guest_whom_this_process_has_banned_without_Redis(t *testing.T) {
	t.Parallel()
	rooms, log := hangingRooms(t)
	now := time.Now()
	rooms.bans.add(rooms.banKey("space", "ip:1"), now.Add(banDuration), now)
	refused(t, rooms, "ip:1", model.PresenceRemoved)
	if log.Len() > 0 {
		t.Errorf("log: got %s, want no request to Redis", log)
	}
}
