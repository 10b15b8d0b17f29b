package db

import (
	"testing"

	"portico/model"
)

// A file may be deleted between the moment its bytes were hashed and the transaction that makes
// it an asset.
func TestPutSpaceFile_of_a_deleted_file(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	space := addSpace(t, db, owner, "space")
	file := addConfirmed(t, db, owner, 10)
	asset := &model.SpaceFile{SpaceID: space.ID, Path: "assets/hall.png", ResourceKey: file.ResourceKey, SHA256: "00"}
	check(t, db.Spaces().PutSpaceFile(t.Context(), asset))
	_, err := db.Files().DeleteFile(t.Context(), file.ResourceKey)
	check(t, err)
	checkCode(t, db.Spaces().PutSpaceFile(t.Context(), asset), model.CodeNotFound)
}
