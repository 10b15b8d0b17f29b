package db

import (
	"context"
	"time"

	"portico/model"
)

// Earlier returns now, or what the clock of the database says where that is less.
// What is to be forgotten after a time goes by both: neither clock alone, jumping
// ahead, makes anything be forgotten early. For the same reason what begins such a
// time, as the end of a job does, goes by the later of the two.
func (db *DB) Earlier(ctx context.Context, now time.Time) (time.Time, error) {
	var earlier model.Time
	err := db.idb.NewRaw("SELECT least(now(), ?)", now.UTC()).Scan(ctx, &earlier)
	return earlier.Time, translate(err)
}
