package db

import (
	"context"
	"database/sql"
	"strings"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// EntityVersion is the current version of an entity: an opaque text that changes with
// every write to the entity.
type EntityVersion struct {
	EntityID string
	Version  string
}

// EntityVersions returns the versions of all entities of the space in the order
// of their creation, without RoomInfo. There is no limit: a watcher compares them all
// with the versions that its client has, and a version is small.
//
// Package graph reads it at most a hundred times a second for each space that is watched, however
// many subscribers there are.
func (db *DB) EntityVersions(ctx context.Context, spaceID string) (versions []EntityVersion, err error) {
	var all string
	err = db.rows(ctx, func(row *sql.Rows) error { return row.Scan(&all) }, entityVersions, spaceID)
	for version := range strings.SplitSeq(all, ",") {
		if id, xmin, ok := strings.Cut(version, " "); ok {
			versions = append(versions, EntityVersion{EntityID: id, Version: xmin})
		}
	}
	return versions, err
}

// entityVersions is read after each change. It returns one row, because thousands take
// longer to receive than to find. Ids have neither commas nor spaces. xmin is the id of
// the transaction that wrote the row, so every write changes it.
//
// xmin of two rows is equal if one transaction wrote both: versions are compared for one entity at
// a time. It may repeat after 2^32 transactions, which is longer than any subscription.
const entityVersions = `
	SELECT coalesce(string_agg(entity_id || ' ' || xmin::text, ',' ORDER BY sequence), '')
	FROM entities WHERE space_id = $1 AND ` + listedEntity

// VersionedEntity is an entity as a subscription read it. RowVersion differs after every write of
// the row.
type VersionedEntity struct {
	model.Entity
	RowVersion string
}

// VersionedEntities returns the entities with these ids that exist, in the order of their
// creation. It stops after maxBytes of JSON, but returns at least one entity.
//
// The sizes are summed before the JSON is read, so rows beyond the limit are not fetched from disk.
// The version and the row are of one snapshot.
func (db *DB) VersionedEntities(ctx context.Context, spaceID string, ids []string, maxBytes int) ([]VersionedEntity, error) {
	var entities []VersionedEntity
	err := db.idb.NewRaw(`
		WITH sized AS (
			SELECT entity_id, sum(bytes) OVER (ORDER BY sequence) - bytes AS before
			FROM entities WHERE space_id = ? AND entity_id = ANY(?::text[])
		)
		SELECT e.*, e.xmin::text AS row_version FROM entities AS e JOIN sized USING (entity_id)
		WHERE e.space_id = ? AND sized.before < ? ORDER BY e.sequence`,
		spaceID, pgdialect.Array(ids), spaceID, maxBytes).Scan(ctx, &entities)
	return entities, translate(err)
}
