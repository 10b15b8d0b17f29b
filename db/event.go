package db

import (
	"context"

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
func (db *DB) EntityVersions(ctx context.Context, spaceID string) ([]EntityVersion, error) {
	var versions []EntityVersion
	// xmin is the id of the transaction that wrote the row, so every write changes it.
	err := db.idb.NewRaw(`
		SELECT entity_id, xmin::text AS version FROM entities
		WHERE space_id = ? AND entity_id <> ? ORDER BY sequence`,
		spaceID, model.RoomInfoID).Scan(ctx, &versions)
	return versions, translate(err)
}

// VersionedEntity is an entity with its version.
type VersionedEntity struct {
	model.Entity
	RowVersion string
}

// VersionedEntities returns the entities with these ids that exist, in the order of their
// creation. It stops after maxBytes of JSON, but returns at least one entity.
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
