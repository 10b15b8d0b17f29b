package db

import (
	"context"
	"errors"

	"github.com/uptrace/bun"
)

// errIncomplete makes lockInOrder call its function again.
var errIncomplete = errors.New("a row was added before the last lock")

// lockInOrder calls lock, which takes the locks of a transaction in the order of this package,
// until it reports that they are complete.
//
// Another transaction may add a row of the first kind before the last lock is taken. To lock that
// row then would break the order. So a savepoint undoes what lock has locked and written, and lock
// runs again.
func (db *DB) lockInOrder(ctx context.Context, lock func(tx *DB) (complete bool, err error)) error {
	for {
		err := db.idb.RunInTx(ctx, nil, func(_ context.Context, savepoint bun.Tx) error {
			tx := *db
			tx.idb = savepoint
			complete, err := lock(&tx)
			if err == nil && !complete {
				err = errIncomplete
			}
			return err
		})
		if !errors.Is(err, errIncomplete) {
			return translate(err)
		}
	}
}
