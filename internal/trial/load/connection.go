package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strconv"
)

// connection is one kept-alive HTTP/1.1 connection. It is written for this command alone,
// because net/http's client would use more of the two cores than some of the servers.
type connection struct {
	conn   net.Conn
	reader *bufio.Reader
	body   bytes.Buffer // of the last response
}

// connectTo connects to a server. 32 KB hold most responses whole, so that one system call reads
// them.
func connectTo(ctx context.Context, address string) (*connection, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &connection{conn: conn, reader: bufio.NewReaderSize(conn, 32<<10)}, nil
}

// do sends a whole request and returns the status and the body, which is valid
// until the next call.
func (c *connection) do(request []byte) (status int, body []byte, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, nil, err
	}
	return c.read()
}

// read reads one response. It knows as much of HTTP/1.1 (RFC 9112) as the contenders use: a
// length or chunks, and a connection that stays open.
//
// The status is in the fixed columns of the first line:
//
//	HTTP/1.1 200 OK
//	         ^^^
func (c *connection) read() (status int, body []byte, err error) {
	line, err := c.line()
	if err != nil {
		return 0, nil, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return 0, nil, fmt.Errorf("response begins with %q", line)
	}
	if status, err = number(line[9:12]); err != nil {
		return 0, nil, err
	}
	length, chunked, err := c.header()
	if err != nil {
		return 0, nil, err
	}
	c.body.Reset()
	if !chunked {
		_, err = io.CopyN(&c.body, c.reader, int64(length))
		return status, c.body.Bytes(), err
	}
	if _, err = c.body.ReadFrom(httputil.NewChunkedReader(c.reader)); err == nil {
		_, err = c.line() // the end of the trailer
	}
	return status, c.body.Bytes(), err
}

// header reads the header and returns its facts about the body.
func (c *connection) header() (length int, chunked bool, err error) {
	length = -1
	for {
		line, err := c.line()
		if err != nil {
			return 0, false, err
		}
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = number(value); err != nil {
				return 0, false, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		case bytes.EqualFold(name, []byte("Connection")):
			// A server that closes connections would make the client measure connecting.
			return 0, false, fmt.Errorf("the server says Connection: %s", value)
		}
	}
	if length < 0 && !chunked {
		return 0, false, errors.New("the response has no length")
	}
	return length, chunked, nil
}

// line returns the next line without its end.
func (c *connection) line() ([]byte, error) {
	line, err := c.reader.ReadSlice('\n')
	return bytes.TrimRight(line, "\r\n"), err
}

// close closes the connection, which ends the server's goroutine for it.
func (c *connection) close() error { return c.conn.Close() }

// number parses a decimal number, as strconv.Atoi does for strings.
func number(digits []byte) (int, error) { return strconv.Atoi(string(digits)) }

// requestTemplate returns the template of a request that has the sample values.
func requestTemplate(method, path, host, authorization, body string) template {
	text := method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: " + authorization +
		"\r\nUser-Agent: portico-load\r\nAccept: application/json\r\n"
	if body != "" {
		text += "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	return newTemplate([]byte(text+"\r\n"+body), "") // requests name entities by their own ids
}
