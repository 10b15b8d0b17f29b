package db

import (
	"slices"
	"testing"

	"portico/model"
)

// The owner's list shows the restored title at once, and a restore that fails announces nothing.
func TestRestoreSettings_announces_the_space_and_the_list_of_its_owner(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	space := addSpace(t, db, user, "hall")
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		settings := model.Object(`{"title":"yard","description":"","data":{}}`)
		checkCode(t, tx.History().RestoreSettings(t.Context(), "unknown", settings), model.CodeNotFound)
		if len(tx.afterCommit.topics) > 0 || len(tx.afterCommit.changedSpaces) > 0 {
			t.Errorf("after a failure: got %+v, want nothing announced", tx.afterCommit)
		}
		check(t, tx.History().RestoreSettings(t.Context(), space.ID, settings))
		if got, want := tx.afterCommit.topics, []Topic{SpaceTopic(space.ID), SpacesTopic(user.ID)}; !slices.Equal(got, want) {
			t.Errorf("announced: got %v, want %v", got, want)
		}
		return nil
	}))
	restored, err := db.Spaces().Space(t.Context(), space.ID)
	check(t, err)
	if restored.Title != "yard" {
		t.Errorf("title: got %q, want the restored one", restored.Title)
	}
}
