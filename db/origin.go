package db

import (
	"context"
	"strconv"
	"strings"

	"portico/model"
)

// setOrigin is a condition that stores where the writes of its statement come from. It is always
// true.
//
// set_config with true as its last argument ends with the transaction, so a connection of the pool
// carries no origin into the next request.
const setOrigin = "set_config('portico.origin', ?, true) IS NOT NULL"

// originOf returns where writes come from, as table changes stores it: the door, the account,
// and for a change set a token of its own. Writes with one origin and no pause between them are
// one version of the space.
func (db *DB) originOf(ctx context.Context) string {
	if db.origin != "" {
		return db.origin
	}
	caller := model.CallerFrom(ctx)
	if caller == nil {
		return ""
	}
	return model.OriginFrom(ctx).Door + " " + caller.UserID
}

// AsChangeSet runs fn in a transaction whose writes become a version of their own. restored is
// the number of the version that fn restores; 0 for another change set.
//
// The token makes the origin unique: what the same account writes just before or after belongs to
// other versions.
func (db *DB) AsChangeSet(ctx context.Context, restored int, fn func(tx *DB) error) error {
	return db.InTx(ctx, func(tx *DB) error {
		marked := *tx
		marked.origin = db.originOf(ctx) + " " + model.Token() + " " + strconv.Itoa(restored)
		if _, err := marked.idb.NewRaw("SELECT set_config('portico.origin', ?, true)", marked.origin).Exec(ctx); err != nil {
			return translate(err)
		}
		return fn(&marked)
	})
}

// parseOrigin reads an origin. Writes of the server itself have none. The format is "door user" or
// "door user token restored". Rows in space_versions keep it for as long as the version, so a
// change of the format must read the old one too.
func parseOrigin(origin string) (door, userID string, isChangeSet bool, restored int) {
	parts := strings.Split(origin, " ")
	if len(parts) > 1 {
		door, userID = parts[0], parts[1]
	}
	if len(parts) > 3 {
		isChangeSet = true
		restored, _ = strconv.Atoi(parts[3]) // of AsChangeSet
	}
	return door, userID, isChangeSet, restored
}
