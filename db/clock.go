package db

import (
	"context"
	"time"

	"portico/model"
)

// EarlierClock returns now or the time of the database, whichever is earlier. Rows that are
// deleted after some time are compared with it, so that neither clock alone, when it
// jumps ahead, deletes a row early. For the same reason the start of such a time, for
// example the end of a job, is the later of the two.
//
// With the time of the server alone, a server whose clock is ahead would purge jobs that ended a
// minute ago. With the time of the database alone, a database whose clock is ahead would. So rows
// are deleted early only if both clocks are ahead.
func (db *DB) EarlierClock(ctx context.Context, now time.Time) (time.Time, error) {
	var earlier model.Time
	err := db.idb.NewRaw("SELECT least(now(), ?)", now.UTC()).Scan(ctx, &earlier)
	return earlier.Time, translate(err)
}
