package db

import (
	"context"
	"database/sql"

	"portico/model"
)

// The hot paths: an entity and the owner of its space in one statement, prepared.
// Each finds nothing where the space is another's, the entity is not there or it
// is a gate; the caller then finds out which.
const (
	entityColumns = "e.space_id, e.entity_id, e.sequence, e.type, e.data, e.state, e.created_at, e.changed_at"

	ownedEntity = "SELECT " + entityColumns + ` FROM entities AS e JOIN spaces AS s ON s.id = e.space_id
		WHERE e.space_id = $1 AND e.entity_id = $2 AND s.owner_id = $3`

	mergeOwned = `UPDATE entities AS e SET data = merge_data(e.data, $4::jsonb), changed_at = $5
		FROM spaces AS s
		WHERE e.space_id = $1 AND e.entity_id = $2 AND s.id = e.space_id AND s.owner_id = $3
		AND e.type NOT IN ('Gate', 'DynamicGate') RETURNING ` + entityColumns

	deleteOwned = `DELETE FROM entities AS e USING spaces AS s
		WHERE e.space_id = $1 AND e.entity_id = $2 AND s.id = e.space_id AND s.owner_id = $3
		RETURNING e.entity_id`

	putOwned = `INSERT INTO entities AS e (space_id, entity_id, type, data, state, created_at, changed_at)
		SELECT id, $2, $4, $5::jsonb, '{}', $6::timestamptz, $6::timestamptz FROM spaces WHERE id = $1 AND owner_id = $3
		ON CONFLICT (space_id, entity_id) DO UPDATE
		SET data = merge_data(e.data, EXCLUDED.data), changed_at = EXCLUDED.changed_at,
			type = CASE WHEN $7::boolean THEN EXCLUDED.type ELSE e.type END
		WHERE e.type NOT IN ('Gate', 'DynamicGate')
		RETURNING ` + entityColumns + ", xmax = 0"
)

// oneEntity returns the entity of the first row, or nil.
func (db *DB) oneEntity(ctx context.Context, created *bool, text string, args ...any) (entity *model.Entity, err error) {
	err = db.rows(ctx, func(row *sql.Rows) error {
		entity = new(model.Entity)
		into := entityFields(entity)
		if created != nil {
			into = append(into, created)
		}
		return row.Scan(into...)
	}, text, args...)
	return entity, err
}

// entityFields are where the columns of entityColumns go.
func entityFields(e *model.Entity) []any {
	return []any{&e.SpaceID, &e.EntityID, &e.Sequence, &e.Type, &e.Data, &e.State, &e.CreatedAt, &e.ChangedAt}
}

// OwnedEntity returns the entity, if its space is the owner's; nil for none.
func (db *DB) OwnedEntity(ctx context.Context, ownerID, spaceID, entityID string) (*model.Entity, error) {
	return db.oneEntity(ctx, nil, ownedEntity, spaceID, entityID, ownerID)
}

// MergeOwnedEntity is MergeEntity for an entity that is no gate, if its space is
// the owner's; nil for none.
func (db *DB) MergeOwnedEntity(ctx context.Context, ownerID string, in model.UpdateEntity) (*model.Entity, error) {
	entity, err := db.oneEntity(ctx, nil, mergeOwned, in.SpaceID, in.EntityID, ownerID, in.Data, model.Now())
	if entity != nil {
		db.Announce(SpaceTopic(in.SpaceID))
	}
	return entity, err
}

// DeleteOwnedEntity removes the entity, if its space is the owner's, and reports
// whether it was there.
func (db *DB) DeleteOwnedEntity(ctx context.Context, ownerID, spaceID, entityID string) (bool, error) {
	found := false
	err := db.rows(ctx, func(*sql.Rows) error {
		found = true
		return nil
	}, deleteOwned, spaceID, entityID, ownerID)
	if found {
		db.Announce(SpaceTopic(spaceID))
	}
	return found, err
}

// PutOwnedEntity is PutEntity, where the entity has what was sent and nothing
// more, if the space is the owner's; nil for none.
func (db *DB) PutOwnedEntity(ctx context.Context, ownerID string, entity *model.Entity, setType bool) (*model.Entity, bool, error) {
	var created bool
	stored, err := db.oneEntity(ctx, &created, putOwned, entity.SpaceID, entity.EntityID, ownerID,
		entity.Type, entity.Data, entity.CreatedAt, setType)
	if stored != nil {
		db.Announce(SpaceTopic(entity.SpaceID))
	}
	return stored, created, translateSpace(err)
}
