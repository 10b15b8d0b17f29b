package db

import (
	"context"

	"portico/model"
)

// HasUsers reports whether there is any account. Before the first, the server offers to create it.
func (db *DB) HasUsers(ctx context.Context) (bool, error) {
	var some bool
	err := db.idb.NewRaw("SELECT EXISTS (SELECT FROM users)").Scan(ctx, &some)
	return some, translate(err)
}

// LockFirstUser waits until no other transaction creates the first account, and returns
// CodeConflict if there is an account. The lock ends with the transaction.
//
// A unique index cannot express that there is only one first account, so it is an advisory lock. It
// is taken only while the server has no account, and so costs nothing later.
func (db *DB) LockFirstUser(ctx context.Context) error {
	// A separate statement: one that also reads would use a snapshot from before it waited.
	if _, err := db.idb.NewRaw("SELECT pg_advisory_xact_lock(?)", int64(firstUserLock)).Exec(ctx); err != nil {
		return translate(err)
	}
	some, err := db.HasUsers(ctx)
	if err == nil && some {
		err = &model.Error{Code: model.CodeConflict, Message: "There is an account already"}
	}
	return err
}
