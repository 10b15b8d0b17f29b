package postgres

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
)

// LosingCommits returns another address of the test's database, behind a relay that loses
// responses. A transaction that contains the text of the statement is committed, but its connection
// is closed before the client gets the response. Connections without the statement are not changed.
func LosingCommits(t testing.TB, database, statement string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatalf("parse the address of the database: %v", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen for connections to the database: %v", err)
	}
	t.Cleanup(func() { _ = listener.Close() }) // only here
	socket := u.Path
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // with the test
			}
			go relay(client, socket, []byte(statement))
		}
	}()
	u.Scheme, u.Host, u.Path = "postgres", listener.Addr().String(), "/"+u.Host
	return u.String()
}

// relay joins a client with the socket of Postgres until either side closes, or a response is lost.
func relay(client net.Conn, socket string, statement []byte) {
	defer func() { _ = client.Close() }() // it may be closed already

	server, err := net.Dial("unix", socket) //nolint:noctx // local, at once
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }() // it may be closed already
	var losing atomic.Bool
	go func() {
		defer func() { _ = server.Close() }() // ends the other direction
		seen := false
		forward(server, client, func(message []byte) bool {
			seen = seen || bytes.Contains(message, statement)
			if seen && bytes.Contains(message, []byte("COMMIT\x00")) {
				losing.Store(true)
			}
			return true
		})
	}()
	// Postgres answers after the commit, so the transaction is committed when its response is lost.
	forward(client, server, func([]byte) bool { return !losing.Load() })
}

// forward copies until a side closes or pass refuses what was read.
func forward(to io.Writer, from io.Reader, pass func([]byte) bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || !pass(buffer[:n]) {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}
