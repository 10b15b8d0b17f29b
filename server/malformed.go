package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// plainRefusals gives the requests that net/http refuses before any handler, such
// as GET /v1/%zz, the JSON that every other error has (contract, Bodies and
// errors). net/http offers no other place for it than the connection.
type plainRefusals struct{ net.Listener }

// Accept implements net.Listener.
func (l plainRefusals) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
		return refusingConn{tcp}, nil
	}
	return conn, err
}

// refusingConn is a connection whose plain refusals become JSON. Everything else
// of the connection, such as sendfile, stays as it is.
type refusingConn struct{ *net.TCPConn }

// refusalHeader is what net/http writes between the status line and the text of a
// refusal of its own. No handler's answer has these headers and no others: net/http
// adds a Date to those.
const refusalHeader = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// Write implements net.Conn. A refusal of net/http comes in one call.
func (c refusingConn) Write(p []byte) (int, error) {
	line, _, ok := bytes.Cut(p, []byte(refusalHeader))
	if !ok || bytes.ContainsRune(line, '\n') || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return c.TCPConn.Write(p)
	}
	if _, err := c.TCPConn.Write(refusalAsJSON(string(line))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// refusalAsJSON returns the answer with the status line of a refusal.
func refusalAsJSON(line string) []byte {
	status, _ := strconv.Atoi(strings.Fields(line)[1]) // 0 has no text
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
