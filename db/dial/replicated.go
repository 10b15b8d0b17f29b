package dial

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
)

// errNotReplicated is the error of a statement whose transaction is committed on the primary alone,
// although it should have waited for a standby.
var errNotReplicated = errors.New("the database has committed without its standby")

// replicated is a connection, above TLS and below a driver, on which no statement succeeds that has
// not reached the synchronous standby.
//
// When a commit waits for its standby and somebody cancels the statement, for example an operator with
// pg_cancel_backend or a program that ends slow ones, Postgres commits all the same, warns, and
// reports success (PostgreSQL documentation, Planning for High Availability). If the standby is
// promoted next, what was confirmed is lost. The drivers drop warnings, so the responses are looked
// through for this one, and the connection breaks before the driver reads it: then the commit counts
// as one whose response was lost.
type replicated struct {
	net.Conn
	header  []byte // of the message that is being read: its type and its length
	left    int    // bytes of the message behind the header
	warning []byte // of a warning that is being read
}

// headerSize is the size of the type and the length of a message of Postgres. The length counts
// itself.
const headerSize = 5

// The fields by which a warning is known in every language: the function that has raised it.
const unreplicatedField = "RSyncRepWaitForLSN\x00"

// Read implements net.Conn.
func (r *replicated) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	if r.warns(p[:n]) {
		_ = r.Close() // what it would still say is not true
		return 0, errNotReplicated
	}
	return n, err
}

// warns reports whether the next bytes of the responses complete the warning.
func (r *replicated) warns(next []byte) bool {
	for len(next) > 0 {
		if len(r.header) < headerSize {
			taken := min(headerSize-len(r.header), len(next))
			r.header, next = append(r.header, next[:taken]...), next[taken:]
			if len(r.header) < headerSize {
				return false
			}
			r.left = max(int(binary.BigEndian.Uint32(r.header[1:]))-(headerSize-1), 0)
			r.warning = r.warning[:0]
		}
		taken := min(r.left, len(next))
		if r.header[0] == 'N' {
			r.warning = append(r.warning, next[:taken]...)
		}
		r.left, next = r.left-taken, next[taken:]
		if r.left > 0 {
			return false
		}
		if r.header[0] == 'N' && bytes.Contains(r.warning, []byte(unreplicatedField)) {
			return true
		}
		r.header = r.header[:0]
	}
	return false
}

// NetConn returns the connection below, as that of tls.Conn does.
func (r *replicated) NetConn() net.Conn { return r.Conn }
