package worker

import (
	"errors"
	"time"

	"portico/db"
	"portico/storage"
)

// longestOutage is for how long work waits for a store or a database that cannot
// be used. What fails after that uses up its tries.
const longestOutage = 24 * time.Hour

// outage tells whether err is trouble of the store or the database that others
// mend, and how long to wait before the next attempt at work that came up at that
// time: it waits longer the older it is, from a second to a minute.
func outage(err error, since time.Time) (wait time.Duration, ok bool) {
	if !errors.Is(err, storage.ErrUnavailable) && !db.Unavailable(err) {
		return 0, false
	}
	if _, final := judge(err); final {
		return 0, false // the file is at fault too
	}
	age := time.Since(since)
	return min(max(age/2, time.Second), time.Minute), age < longestOutage
}
