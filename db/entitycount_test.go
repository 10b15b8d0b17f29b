package db

import (
	"fmt"
	"testing"

	"portico/model"
)

// Counting each row of a statement took time that grew with the square of their number.
func TestReplaceEntities_counts_once_for_a_statement(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	setQuota(t, db, user, 100<<20) // not much room: each count looks at the quota
	space := addSpace(t, db, user, "Hall")
	const entities = 300
	sent := make([]*model.Entity, entities)
	for i := range sent {
		sent[i] = model.NewEntity(space.ID, fmt.Sprintf("e%03d", i), "Simple", model.Object(`{}`))
	}
	before := number(t, db, "SELECT used FROM storage_of(?)", user.ID)
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		_, err := tx.Entities().ReplaceEntities(t.Context(), space.ID, sent)
		check(t, err)
		if got := number(t, tx, "SELECT pg_stat_get_xact_tuples_updated('json_usage'::regclass)"); got > 10 {
			t.Errorf("writes of the sum: got %d, want at most 10, whatever the number of entities", got)
		}
		return nil
	}))
	if got, want := number(t, db, "SELECT used FROM storage_of(?)", user.ID)-before, entities*256; got != want {
		t.Errorf("counted bytes: got %d, want %d", got, want)
	}
	if got := number(t, db, "SELECT count(*) FROM changes WHERE op = 1 AND space_id = ?", space.ID); got != entities {
		t.Errorf("recorded changes: got %d, want %d", got, entities)
	}
	if got := number(t, db, `SELECT count(*) FROM (SELECT target, lag(target) OVER (ORDER BY sequence) AS previous FROM changes
		WHERE space_id = ?) AS c WHERE target < previous`, space.ID); got != 0 {
		t.Errorf("changes out of order: got %d, want 0", got)
	}
}
