package dial

import (
	"database/sql/driver"
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/uptrace/bun/driver/pgdriver"
)

// The SQLSTATEs that say how it is with the server, by the names of their conditions (PostgreSQL
// documentation, appendix A).
const (
	readOnlySQLTransaction = "25006" // the server is no longer the primary
	invalidAuthorization   = "28000" // pg_hba.conf has no rule for the connection
	diskFull               = "53100"
	tooManyConnections     = "53300"
	lockNotAvailable       = "55P03" // the lock was not free within lock_timeout
)

// Prefixes of SQLSTATEs.
const (
	connectionException  = "08"
	operatorIntervention = "57P" // the server stops or starts; 57014 is a canceled statement
)

// SQLState returns the SQLSTATE of an error of Postgres; "" for any other error.
func SQLState(err error) string {
	if pg, ok := errors.AsType[pgdriver.Error](err); ok {
		return pg.Field('C')
	}
	return ""
}

// IsResponse reports whether err is the response of Postgres to a statement: then the statement had
// no effect, and the connection is in step.
//
// An error of Postgres with the severity ERROR arrives as a complete response. Any other error,
// such as a deadline while reading, leaves a response on the way. Severity FATAL and PANIC mean
// that Postgres has ended the session. Field 'V' is the severity in English, whatever the language
// of the server's messages.
func IsResponse(err error) bool {
	pg, ok := errors.AsType[pgdriver.Error](err)
	return ok && pg.Field('V') != "FATAL" && pg.Field('V') != "PANIC"
}

// DiskFull reports whether the disk of the database is full.
func DiskFull(err error) bool { return SQLState(err) == diskFull }

// Unavailable reports whether err is a temporary failure of the database: it cannot be
// reached, is starting or stopping, its disk is full, or a row stays locked. The same call may
// succeed later.
func Unavailable(err error) bool {
	if code := SQLState(err); code != "" {
		return strings.HasPrefix(code, connectionException) || strings.HasPrefix(code, operatorIntervention) ||
			slices.Contains([]string{diskFull, tooManyConnections, readOnlySQLTransaction, lockNotAvailable}, code)
	}
	_, network := errors.AsType[*net.OpError](err)
	return network || errors.Is(err, driver.ErrBadConn) || errors.Is(err, ErrNotAcceptable) || errors.Is(err, errNotReplicated)
}
