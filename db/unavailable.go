package db

import (
	"database/sql/driver"
	"errors"
	"net"
	"strings"

	"github.com/uptrace/bun/driver/pgdriver"
)

// Unavailable tells whether err is trouble of the database that passes: it cannot
// be reached, starts, stops or has no room left. The same call may succeed later.
// The classes are those of appendix A of Postgres' documentation.
func Unavailable(err error) bool {
	if pg, ok := errors.AsType[pgdriver.Error](err); ok {
		code := pg.Field('C')
		return strings.HasPrefix(code, "08") || // connection exception
			code == "53100" || code == "53300" || // full disk, too many connections
			strings.HasPrefix(code, "57P") || // operator intervention
			code == "25006" // what was the primary is none any more
	}
	_, network := errors.AsType[*net.OpError](err)
	return network || errors.Is(err, driver.ErrBadConn)
}
