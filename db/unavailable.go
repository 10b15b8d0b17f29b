package db

import (
	"database/sql/driver"
	"errors"
	"net"
	"slices"
	"strings"
)

// DiskFull reports whether the disk of the database is full.
func DiskFull(err error) bool { return sqlState(err) == diskFull }

// Unavailable reports whether err is a temporary failure of the database: it cannot be
// reached, is starting or stopping, or its disk is full. The same call may succeed later.
func Unavailable(err error) bool {
	if code := sqlState(err); code != "" {
		return strings.HasPrefix(code, connectionException) || strings.HasPrefix(code, operatorIntervention) ||
			slices.Contains([]string{diskFull, tooManyConnections, readOnlySQLTransaction}, code)
	}
	_, network := errors.AsType[*net.OpError](err)
	return network || errors.Is(err, driver.ErrBadConn)
}
