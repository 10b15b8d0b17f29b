package dial

import (
	"crypto/tls"
	"net"
	"testing"
	"time"
)

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
