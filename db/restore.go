package db

import (
	"context"
	"encoding/json"

	"portico/model"
)

// The statements that only graph.RestoreVersion runs, in its order: it reads the changes since the
// version, and reverts the changes of settings and of files. It reverts the changes of entities as
// any change set changes them, by the statements of entitybatch.go.

// ChangesSince returns all differences between the state after a version and now. It refuses
// more than maxBytes of JSON before it reads them.
func (db *DB) ChangesSince(ctx context.Context, spaceID string, from int, maxBytes int64) ([]*model.SpaceChange, error) {
	var size int64
	args := []any{spaceID, from, int64(PresentState) - 1, int64(PresentState) - 1} // what is not recorded yet, too
	err := db.idb.NewRaw(comparedVersions+" SELECT coalesce(sum(size), 0)::bigint FROM different", args...).Scan(ctx, &size)
	if err != nil {
		return nil, translate(err)
	}
	if size > maxBytes {
		return nil, model.TooLargef("The versions differ by more than %d bytes", maxBytes)
	}
	var changes []*model.SpaceChange
	err = db.idb.NewRaw(comparedVersions+" SELECT * FROM different ORDER BY sequence", args...).Scan(ctx, &changes)
	return changes, translate(err)
}

// RestoreSettings sets the texts and the fields of the space to the values in settings. It does not change the privacy.
//
// The privacy is left out because a restored version must not publish what the owner has hidden
// since then.
func (db *DB) RestoreSettings(ctx context.Context, spaceID string, settings model.Object) error {
	var before struct {
		model.SpaceTextInput
		Data model.Object
	}
	if err := json.Unmarshal(settings, &before); err != nil {
		return err
	}
	space, now := new(model.Space), model.Now()
	query := db.idb.NewUpdate().Model(space).Where("id = ?", spaceID).Where(setOrigin, db.originOf(ctx)).
		Set("data = ?::jsonb", before.Data).
		Set("changed_at = ?", now).Set("touched_at = greatest(touched_at, ?)", now).Set("version = version + 1").
		Returning("id, owner_id")
	setTexts(query, before.SpaceTextInput)
	err := query.Scan(ctx)
	if err != nil {
		return translateNotFound(err, model.SpaceNotFound)
	}
	db.Announce(SpaceTopic(space.ID), SpacesTopic(space.OwnerID))
	return nil
}

// RestoreSpaceFile stores the earlier file of the path again, and reports whether that file still
// exists. The file is locked until the transaction ends.
//
// KEY SHARE waits for a transaction that is deleting the file. The owner is compared, because
// before is a JSON object of the history, and not a reference that Postgres guards.
func (db *DB) RestoreSpaceFile(ctx context.Context, spaceID, path string, before model.Object) (bool, error) {
	result, err := db.idb.NewRaw(`
		INSERT INTO space_files (space_id, path, resource_key, sha256)
		SELECT ?0, ?1, resource_key, ?2::jsonb->>'sha256' FROM files
		WHERE resource_key = ?2::jsonb->>'resourceKey' AND `+belongsTo(ownerOf("?0"))+` FOR KEY SHARE
		ON CONFLICT (space_id, path) DO UPDATE SET resource_key = EXCLUDED.resource_key, sha256 = EXCLUDED.sha256`,
		spaceID, path, before).Exec(ctx)
	return rowChanged(result, err)
}
