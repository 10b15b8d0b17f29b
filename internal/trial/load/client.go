package main

import (
	"math/rand/v2"
	"strconv"
	"time"
)

// nextValues chooses the entity of the next request.
//
// The numbers by operation:
//
//	create     one after the other, of all connections together
//	delete     likewise, up to the last that was created
//	update     random ones of the connection
//	get        random ones of those that are only read
//	list       as get, and the request has no hole for it
func (r *round) nextValues(c *client) (v values, more bool) {
	var n int
	switch r.op {
	case opCreate, opDelete:
		if n = int(r.numbers.Add(1)) - 1; n >= r.end {
			return v, false
		}
	// A connection updates entities of its own: updates of one row wait for each other,
	// which would measure the lock and not the server.
	case opUpdate:
		n = firstUpdated + c.index*perConnection + rand.IntN(perConnection)                       //nolint:gosec // no secret
		c.revision = strconv.AppendInt(c.revision[:0], int64(1_000_000+rand.IntN(8_000_000)), 10) //nolint:gosec // no secret
	default:
		n = firstRead + rand.IntN(readable) //nolint:gosec // no secret
	}
	c.id = strconv.AppendInt(append(c.id[:0], "bench-"...), int64(n), 10)
	return values{id: c.id, revision: c.revision}, true
}

// client is a connection with the buffers that it uses again for each request.
//
// Its goroutine alone uses it, so nothing in it is protected.
type client struct {
	*connection
	index        int
	request      []byte
	id, revision []byte
	latencies    []time.Duration
}
