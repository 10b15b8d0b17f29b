package db

import (
	"context"
	"errors"
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
	return db.rowVersions(ctx, "resource_key", "xmin::text", "files WHERE "+belongsTo("?"), userID)
}

// VersionedFile is a file as a subscription read it. RowVersion differs after every write of the
// row.
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
	return db.rowVersions(ctx, "id", "version", "spaces WHERE "+ownedBy("?"), ownerID)
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
			SELECT id, sum(`+spaceSize()+`) OVER (ORDER BY sequence) - (`+spaceSize()+`) AS before
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
	var rows []struct {
		SpaceID   string // of a marked entity
		SkippedID int64  // the id in skipped_entities of an entity that was not marked
	}
	// The update changes no value. It gives the entities a new xmin, by which their watchers find
	// them. A locked entity is skipped, because waiting for it could be a deadlock. The transaction
	// that has locked it may roll back, so it is marked after the commit. The insert is part of the
	// transaction, so that a crash after the commit loses no mark.
	err := db.idb.NewRaw(`
		WITH shown AS (
			SELECT e.space_id, e.entity_id FROM spaces AS s JOIN entities AS e ON e.space_id = s.id
			WHERE s.`+ownedBy("?0")+` AND e.upload_id = ?1
		), locked AS (
			SELECT space_id, entity_id FROM shown JOIN entities AS e USING (space_id, entity_id)
			FOR NO KEY UPDATE OF e SKIP LOCKED
		), marked AS (
			UPDATE entities AS e SET changed_at = e.changed_at FROM locked
			WHERE e.space_id = locked.space_id AND e.entity_id = locked.entity_id RETURNING e.space_id
		), skipped AS (
			INSERT INTO skipped_entities (space_id, entity_id, upload_id)
			SELECT space_id, entity_id, ?1 FROM (SELECT * FROM shown EXCEPT SELECT * FROM locked) AS rest RETURNING id
		)
		SELECT space_id, 0 AS skipped_id FROM marked UNION SELECT '', id FROM skipped`, userID, uploadID).Scan(ctx, &rows)
	for _, row := range rows {
		if row.SkippedID == 0 {
			db.Announce(SpaceTopic(row.SpaceID))
		} else if db.afterCommit != nil {
			db.afterCommit.skippedEntities = append(db.afterCommit.skippedEntities, row.SkippedID)
		}
	}
	return translate(err)
}

// MarkSkippedEntities marks up to limit of the entities that announceFile has skipped and that the
// transaction has not marked after its commit, because its process was killed, the response to the
// commit was lost, or the entity stayed locked. It returns how many it found.
func (db *DB) MarkSkippedEntities(ctx context.Context, limit int) (int, error) {
	var ids []int64
	if err := db.idb.NewRaw("SELECT id FROM skipped_entities ORDER BY id LIMIT ?", limit).Scan(ctx, &ids); err != nil {
		return 0, translate(err)
	}
	return len(ids), db.markSkipped(ctx, ids)
}

// markSkipped does for these rows of skipped_entities what announceFile does for the entities that
// it can lock, and deletes the rows. Call it after the commit. An entity that it cannot mark keeps
// its row and does not stop the others.
//
// Each statement waits for one entity and holds no other, so that it is part of no deadlock. It
// marks nothing if the other transaction has deleted the entity, or has it show another file.
func (db *DB) markSkipped(ctx context.Context, ids []int64) error {
	var errs []error
	for _, id := range ids {
		var spaceIDs []string // one, or none
		err := db.idb.NewRaw(`
			WITH skipped AS (DELETE FROM skipped_entities WHERE id = ? RETURNING space_id, entity_id, upload_id)
			UPDATE entities AS e SET changed_at = e.changed_at FROM skipped AS s
			WHERE e.space_id = s.space_id AND e.entity_id = s.entity_id AND e.upload_id = s.upload_id RETURNING e.space_id`, id).
			Scan(ctx, &spaceIDs)
		if err != nil {
			errs = append(errs, translate(err))
		}
		for _, spaceID := range spaceIDs {
			db.Announce(SpaceTopic(spaceID))
		}
	}
	return errors.Join(errs...)
}
