package db

import (
	"database/sql/driver"
	"errors"
	"net"
	"strings"
)

// Unavailable reports whether err is a temporary failure of the database: it cannot be
// reached, is starting or stopping, or its disk is full. The same call may succeed later.
func Unavailable(err error) bool {
	if code := sqlState(err); code != "" {
		return strings.HasPrefix(code, "08") || // connection exception
			code == "53100" || code == "53300" || // full disk, too many connections
			strings.HasPrefix(code, "57P") || // operator intervention
			code == "25006" // read only: the server is no longer the primary
	}
	_, network := errors.AsType[*net.OpError](err)
	return network || errors.Is(err, driver.ErrBadConn)
}
