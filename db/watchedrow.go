package db

import (
	"context"
	"strings"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// RowVersion is the current version of a row: an opaque text that changes with every write that
// watchers must see.
//
// Watchers compare versions for equality only.
type RowVersion struct{ ID, Version string }

// FileRowVersions returns the versions of all files of the user, oldest first.
func (db *DB) FileRowVersions(ctx context.Context, userID string) ([]RowVersion, error) {
	// xmin is the id of the transaction that wrote the row, so every write changes it.
	return db.rowVersions(ctx, "resource_key", "xmin::text", "files WHERE user_id = ?", userID)
}

// VersionedFile is a file with its version.
type VersionedFile struct {
	model.File
	RowVersion string
}

// VersionedFiles returns the files with these keys that exist, oldest first.
func (db *DB) VersionedFiles(ctx context.Context, keys []string) ([]VersionedFile, error) {
	var files []VersionedFile
	err := db.idb.NewRaw(`SELECT *, xmin::text AS row_version FROM files WHERE resource_key = ANY(?::text[]) ORDER BY sequence`,
		pgdialect.Array(keys)).Scan(ctx, &files)
	return files, translate(err)
}

// SpaceRowVersions returns the versions of all spaces of the owner, oldest first. Visits and
// changes of entities do not change the version of a space.
func (db *DB) SpaceRowVersions(ctx context.Context, ownerID string) ([]RowVersion, error) {
	return db.rowVersions(ctx, "id", "version", "spaces WHERE "+ownedBy+"?", ownerID)
}

// rowVersions returns the ids and the versions of the rows. There is no limit: a watcher compares
// them all with the versions that its client has. Postgres returns them as one row, because
// thousands take longer to receive than to find. Ids have no line breaks.
func (db *DB) rowVersions(ctx context.Context, id, version, from, owner string) (versions []RowVersion, err error) {
	var all string
	err = db.idb.NewRaw("SELECT coalesce(string_agg("+id+" || ' ' || "+version+", chr(10) ORDER BY sequence), '') FROM "+from, owner).
		Scan(ctx, &all)
	for row := range strings.SplitSeq(all, "\n") {
		if end := strings.LastIndexByte(row, ' '); end >= 0 {
			versions = append(versions, RowVersion{ID: row[:end], Version: row[end+1:]})
		}
	}
	return versions, translate(err)
}

// LimitedSpaces returns the spaces with these ids that exist, oldest first. It stops after
// maxBytes of what their owner chose, but returns at least one space.
func (db *DB) LimitedSpaces(ctx context.Context, ids []string, maxBytes int) ([]*model.Space, error) {
	var spaces []*model.Space
	err := db.idb.NewRaw(`
		WITH sized AS (
			SELECT id, sum(`+spaceSize+`) OVER (ORDER BY sequence) - (`+spaceSize+`) AS before
			FROM spaces WHERE id = ANY(?::text[])
		)
		SELECT s.*, `+readAt+` FROM spaces AS s JOIN sized USING (id) WHERE sized.before < ? ORDER BY s.sequence`,
		pgdialect.Array(ids), maxBytes).Scan(ctx, &spaces)
	return spaces, translate(err)
}

// announceFile announces a change of a file to its owner, and to those who follow a space
// that shows it. Call it in the transaction of the change.
//
// It finds the entities by the id of the upload, which is in every address of a file, because an
// entity may show the view or the file. The trigger of entities stores it in a column of its own,
// of which entities_by_upload is the index.
func (db *DB) announceFile(ctx context.Context, userID, uploadID string) error {
	db.Announce(FilesTopic(userID))
	var spaces []struct {
		SpaceID string
		Skipped string // an entity that was not marked; empty for those that were
	}
	// The update changes no value. It gives the entities a new xmin, by which their watchers find
	// them. A locked entity is skipped, because waiting for it could be a deadlock. The transaction
	// that has locked it may roll back, so InTx marks it after the commit.
	err := db.idb.NewRaw(`
		WITH shown AS (
			SELECT e.space_id, e.entity_id FROM spaces AS s JOIN entities AS e ON e.space_id = s.id
			WHERE s.`+ownedBy+`? AND e.upload_id = ?
		), locked AS (
			SELECT space_id, entity_id FROM shown JOIN entities AS e USING (space_id, entity_id)
			FOR NO KEY UPDATE OF e SKIP LOCKED
		), marked AS (
			UPDATE entities AS e SET changed_at = e.changed_at FROM locked
			WHERE e.space_id = locked.space_id AND e.entity_id = locked.entity_id RETURNING e.space_id
		)
		SELECT space_id, '' AS skipped FROM marked
		UNION (SELECT space_id, entity_id FROM shown EXCEPT SELECT space_id, entity_id FROM locked)`, userID, uploadID).Scan(ctx, &spaces)
	for _, space := range spaces {
		if space.Skipped == "" {
			db.Announce(SpaceTopic(space.SpaceID))
		} else if db.afterCommit != nil {
			db.afterCommit.skippedEntities = append(db.afterCommit.skippedEntities, skippedEntity{space.SpaceID, space.Skipped, uploadID})
		}
	}
	return translate(err)
}

// skippedEntity is an entity that shows a file which has changed, and that another transaction has
// locked.
type skippedEntity struct{ spaceID, entityID, uploadID string }

// markSkipped does for the entities what announceFile does for those that it can lock. Call it
// after the commit.
//
// Each statement waits for one row and holds no other, so that it is part of no deadlock. It marks
// nothing if the other transaction has deleted the entity, or has it show another file.
func (db *DB) markSkipped(ctx context.Context, entities []skippedEntity) error {
	for _, entity := range entities {
		marked, err := changed(db.idb.NewRaw(`
			UPDATE entities SET changed_at = changed_at WHERE space_id = ? AND entity_id = ? AND upload_id = ?`,
			entity.spaceID, entity.entityID, entity.uploadID).Exec(ctx))
		if err != nil {
			return err
		}
		if marked {
			db.Announce(SpaceTopic(entity.spaceID))
		}
	}
	return nil
}
