package postgres

import (
	"io"
	"net"
	"net/url"
	"testing"
)

// Relay returns an address by TCP of the database that has this address of a socket. join connects the
// two ends of each connection.
func Relay(t testing.TB, socketURL string, join func(server, client net.Conn)) (address string) {
	t.Helper()
	u, err := url.Parse(socketURL) // unix://user:password@name/path/.s.PGSQL.5432
	if err != nil {
		t.Fatalf("relay to the database: %v", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("relay to the database: %v", err)
	}
	t.Cleanup(func() { _ = listener.Close() }) // only here
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return // closed with the test
			}
			out, err := net.Dial("unix", u.Path) //nolint:noctx // local, at once
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

// Copy copies until one side ends, and ends the other.
func Copy(to io.WriteCloser, from io.Reader) {
	_, _ = io.Copy(to, from) // however it ended
	_ = to.Close()
}
