package db

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"portico/model"
)

// maxLockAttempts is the maximum number of times that lockInOrder calls its function. People add
// rows so rarely that the second call succeeds. Only a program that adds spaces all the time may
// reach the maximum.
const maxLockAttempts = 20

// errRowAdded says that a row was added before the last lock, so lockInOrder tries again.
var errRowAdded = errors.New("a row was added before the last lock")

// lockInOrder calls lock, which takes the locks of a transaction in the order of this package,
// until it reports that they are complete.
//
// Another transaction may add a row of the first kind before the last lock is taken. To lock that
// row then would break the order. So a savepoint undoes what lock has locked and written, and lock
// runs again. It returns CodeConflict if rows were added in each of maxLockAttempts calls.
func (db *DB) lockInOrder(ctx context.Context, lock func(tx *DB) (complete bool, err error)) error {
	for range maxLockAttempts {
		err := db.idb.RunInTx(ctx, nil, func(_ context.Context, savepoint bun.Tx) error {
			tx := *db
			tx.idb = savepoint
			complete, err := lock(&tx)
			if err == nil && !complete {
				err = errRowAdded
			}
			return err
		})
		if !errors.Is(err, errRowAdded) {
			return translate(err)
		}
	}
	return &model.Error{Code: model.CodeConflict, Message: "A program keeps adding spaces. Stop it and try again"}
}
