package db

import (
	"context"

	"portico/model"
)

// IsOperator reports whether the account may operate the server.
func (db *DB) IsOperator(ctx context.Context, userID string) (bool, error) {
	var isOperator bool
	err := db.idb.NewRaw("SELECT EXISTS (SELECT FROM operators WHERE "+belongsTo("?")+")", userID).Scan(ctx, &isOperator)
	return isOperator, translate(err)
}

// SetOperator makes the account an operator, or takes the right away. It reports whether
// anything changed.
//
// The INSERT selects from users, so an unknown account changes nothing. Only the command line calls
// it: nobody can become an operator over the network.
func (db *DB) SetOperator(ctx context.Context, userID string, on bool) (changedRole bool, err error) {
	statement, event := "INSERT INTO operators (user_id) SELECT id FROM users WHERE id = ? ON CONFLICT DO NOTHING", model.EventOperatorAdded
	if !on {
		statement, event = "DELETE FROM operators WHERE "+belongsTo("?"), model.EventOperatorRemoved
	}
	err = db.InTx(ctx, func(tx *DB) error {
		if changedRole, err = rowChanged(tx.idb.ExecContext(ctx, statement, userID)); err != nil || !changedRole {
			return err
		}
		return tx.record(ctx, event, userID, "", "")
	})
	return changedRole, err
}
