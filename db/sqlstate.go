package db

import (
	"errors"

	"github.com/uptrace/bun/driver/pgdriver"
)

// The SQLSTATEs that this package handles, by the names of their conditions (PostgreSQL
// documentation, appendix A).
const (
	numericValueOutOfRange    = "22003"
	characterNotInRepertoire  = "22021" // bytes that are not UTF-8
	invalidTextRepresentation = "22P02"
	untranslatableCharacter   = "22P05" // \u0000 in jsonb
	readOnlySQLTransaction    = "25006" // the server is no longer the primary
	insufficientPrivilege     = "42501"
	diskFull                  = "53100"
	tooManyConnections        = "53300"
	lockNotAvailable          = "55P03" // the lock was not free within lock_timeout
)

// Prefixes of SQLSTATEs.
const (
	connectionException  = "08"
	operatorIntervention = "57P" // the server stops or starts; 57014 is a canceled statement
)

// The SQLSTATEs that our triggers raise.
const (
	// quotaExceeded is a write over the quota. count_json raises it, in the transaction that writes
	// the JSON.
	quotaExceeded = "PQ507"
	// spaceHidden is a change that would publish a hidden space. The trigger of keep_hidden_space
	// raises it (migration 0034), so no statement can forget the rule.
	spaceHidden = "PQ403"
)

// sqlState returns the SQLSTATE of an error of Postgres; "" for any other error.
func sqlState(err error) string {
	if pg, ok := errors.AsType[pgdriver.Error](err); ok {
		return pg.Field('C')
	}
	return ""
}
