package db

import (
	"fmt"
	"slices"
	"testing"

	"portico/model"
)

// A change of a file is announced to the spaces of its owner whose entities show the file or its view,
// by what the entities show now.
func TestAnnounceFile_announces_the_spaces_that_show_the_file(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner, other := addUser(t, db), addUser(t, db)
	file := addFile(t, db, owner)
	var spaces []string
	for i, user := range []*model.User{owner, owner, owner, owner, other} {
		space := addSpace(t, db, user, fmt.Sprint(i))
		address := []string{file.StorageKey(), owner.ID + "/derived/" + file.UploadID + "/view.sog", file.StorageKey() + "x", "", file.StorageKey()}[i]
		addEntity(t, db, space, "e", model.TypeUserModel, fmt.Sprintf(`{"glbUrl":"https://files.example/%s"}`, address))
		spaces = append(spaces, space.ID)
	}
	put(t.Context(), t, db, &model.Space{ID: spaces[2], OwnerID: owner.ID}, "e", `{"glbUrl":"https://files.example/1/api_uploads/other_a.ply"}`)
	put(t.Context(), t, db, &model.Space{ID: spaces[3], OwnerID: owner.ID}, "e", fmt.Sprintf(`{"glbUrl":%q}`, "https://files.example/"+file.StorageKey()))
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		err := tx.announceFile(t.Context(), owner.ID, file.UploadID)
		got, want := *tx.topics, []Topic{FilesTopic(owner.ID), SpaceTopic(spaces[0]), SpaceTopic(spaces[1]), SpaceTopic(spaces[3])}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("announced: got %v, want %v", got, want)
		}
		return err
	}))
}
