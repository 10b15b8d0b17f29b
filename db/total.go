package db

import (
	"context"
	"fmt"

	"portico/model"
)

// Long lists are not counted when they are read: triggers keep their totals (see Totals
// of lists in db/migrations/0001_schema.sql).

// keptTotal returns an expression for the total of the lists whose names are equal to the
// SQL expression.
func keptTotal(names string) string {
	return "(SELECT coalesce(sum(rows), 0)::bigint FROM totals WHERE list = " + names + ")"
}

// spaceLists returns the names of the lists of the owner's spaces with these privacies; no
// privacies mean all.
func spaceLists(ownerID string, privacies []model.Privacy) []string {
	if len(privacies) == 0 {
		privacies = []model.Privacy{model.Public, model.LinkOnly, model.Private}
	}
	lists := make([]string, len(privacies))
	for i, privacy := range privacies {
		lists[i] = ownerID + " " + string(privacy)
	}
	return lists
}

// entityTotal returns an expression for the number of entities of the space, without
// RoomInfo: the kept total, or else a count; totalUnknown for more than model.MaxCounted.
//
// The order makes Postgres count by the index of the space's entities. Without it, a prepared
// statement reads the whole table where few spaces have most of the entities.
func entityTotal(spaceID string) string {
	return fmt.Sprintf(`coalesce((SELECT sum(rows)::bigint FROM totals WHERE list = %[1]s), (
		SELECT CASE WHEN count(*) > %[2]d THEN %[3]d ELSE count(*) END
		FROM (SELECT FROM entities WHERE space_id = %[1]s AND `+listedEntity+` ORDER BY sequence LIMIT %[2]d + 1) AS counted))`,
		spaceID, model.MaxCounted, totalUnknown)
}

// totalUnknown stands for the total of a long list whose total is not stored yet.
const totalUnknown = -1

// completeTotal returns total, or the number of entities of the space for totalUnknown. The
// total is stored from then on.
//
// keep_total locks the row of the space FOR UPDATE, for as long as the count takes, once in the
// life of a space. Afterwards the triggers keep the total.
func (db *DB) completeTotal(ctx context.Context, spaceID string, total int) (int, error) {
	if total != totalUnknown {
		return total, nil
	}
	if db.afterCommit == nil { // not in a transaction, which the lock could end
		err := db.InTx(ctx, func(tx *DB) error {
			// A space whose lock is not free soon is being written: its entities are counted below.
			if _, err := tx.idb.NewRaw("SET LOCAL lock_timeout = '50ms'").Exec(ctx); err != nil {
				return translate(err)
			}
			return translate(tx.idb.NewRaw("SELECT keep_total(?)", spaceID).Scan(ctx, &total))
		})
		if sqlState(err) != lockNotAvailable {
			return total, err
		}
	}
	err := db.idb.NewRaw("SELECT count(*) FROM entities WHERE space_id = ? AND "+listedEntity, spaceID).Scan(ctx, &total)
	return total, translate(err)
}
