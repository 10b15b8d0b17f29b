package connection

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// RejectionListener accepts connections that turn net/http's own rejections, for example of
// GET /v1/%zz, into JSON like every other error (docs/rest.md, Responses). Such a request
// reaches no handler, so only the connection can change the response.
//
// The connection recognises a rejection by its exact headers. If a new version of Go changes them,
// clients get plain text again, and the test of the rejections fails.
type RejectionListener struct{ net.Listener }

// Accept implements net.Listener.
func (l RejectionListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
		return rejectionConn{tcp}, nil
	}
	return conn, err
}

// rejectionConn is a connection that writes rejections of net/http as JSON. It embeds the
// *net.TCPConn, so that sendfile still works.
type rejectionConn struct{ *net.TCPConn }

// rejectionHeader is the text between the status line and the body of a rejection. No response of a
// handler has exactly these headers, because net/http adds a Date to responses of handlers.
const rejectionHeader = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// Write implements net.Conn. net/http writes a rejection in one call.
func (c rejectionConn) Write(p []byte) (int, error) {
	line, _, ok := bytes.Cut(p, []byte(rejectionHeader))
	if !ok || bytes.ContainsRune(line, '\n') || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return c.TCPConn.Write(p)
	}
	if _, err := c.TCPConn.Write(rejectionJSON(string(line))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// rejectionJSON returns the response in JSON for the status line of a rejection.
func rejectionJSON(line string) []byte {
	status, _ := strconv.Atoi(strings.Fields(line)[1]) // 0 on an error, which has no text
	message := http.StatusText(status)
	if status == http.StatusBadRequest {
		message = "The request is not well-formed HTTP"
	}
	body, _ := json.Marshal(struct { // never fails for text
		Status  string `json:"status"`
		Message string `json:"message"`
	}{"error", message})
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: %d\r\n"+
		"Access-Control-Allow-Origin: *\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n%s",
		status, http.StatusText(status), len(body), body)
}
