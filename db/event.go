package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// EntityVersion says which version of an entity there is. The version is that of
// the row and means nothing else: it differs after every write to the entity.
type EntityVersion struct {
	EntityID string
	Version  string
}

// EntityVersions returns the versions of all entities of the space in the order
// of their creation, without RoomInfo. There is no limit: a watcher compares all
// with what it told, and a version is small.
func (db *DB) EntityVersions(ctx context.Context, spaceID string) ([]EntityVersion, error) {
	var versions []EntityVersion
	// xmin is the transaction that wrote the row; no write leaves it as it was.
	err := db.idb.NewRaw(`
		SELECT entity_id, xmin::text AS version FROM entities
		WHERE space_id = ? AND entity_id <> ? ORDER BY sequence`,
		spaceID, model.RoomInfoID).Scan(ctx, &versions)
	return versions, translate(err)
}

// VersionedEntity is an entity with the version that it was read in.
type VersionedEntity struct {
	model.Entity
	Version string
}

// VersionedEntities returns those of the entities that are there, in the order
// of their creation: at least one, and no more once their JSON has so many bytes.
func (db *DB) VersionedEntities(ctx context.Context, spaceID string, ids []string, most int) ([]VersionedEntity, error) {
	var entities []VersionedEntity
	err := db.idb.NewRaw(`
		WITH sized AS (
			SELECT entity_id, sum(bytes) OVER (ORDER BY sequence) - bytes AS before
			FROM entities WHERE space_id = ? AND entity_id = ANY(?::text[])
		)
		SELECT e.*, e.xmin::text AS version FROM entities AS e JOIN sized USING (entity_id)
		WHERE e.space_id = ? AND sized.before < ? ORDER BY e.sequence`,
		spaceID, pgdialect.Array(ids), spaceID, most).Scan(ctx, &entities)
	return entities, translate(err)
}
