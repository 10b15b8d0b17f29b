package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// entitiesOfBatch is how many entities EntitiesNaming returns, each of at most 1 MiB.
const entitiesOfBatch = 16

// EntitiesNaming returns the next entities of the space, after the one with this sequence, whose
// data contains the text, such as the address of a file. No other transaction changes them until
// this one ends.
func (db *DB) EntitiesNaming(ctx context.Context, spaceID, text string, after int64) ([]*model.Entity, error) {
	var found []*model.Entity
	err := db.idb.NewSelect().Model(&found).Where("space_id = ? AND sequence > ?", spaceID, after).
		Where("strpos(data::text, ?) > 0", text).Order("sequence").Limit(entitiesOfBatch).For("NO KEY UPDATE").Scan(ctx)
	return found, translate(err)
}

// EntitiesOfSpace returns the entities of the space with these ids that exist, by id.
func (db *DB) EntitiesOfSpace(ctx context.Context, spaceID string, ids []string) (map[string]*model.Entity, error) {
	var found []*model.Entity
	err := db.idb.NewSelect().Model(&found).Where("space_id = ? AND entity_id = ANY(?::text[])", spaceID, pgdialect.Array(ids)).Scan(ctx)
	entities := make(map[string]*model.Entity, len(found))
	for _, entity := range found {
		entities[entity.EntityID] = entity
	}
	return entities, translate(err)
}

// LockEntities returns the types of the entities with these ids that exist, by id. No other
// transaction changes these entities until this one ends.
//
// Entities that do not exist cannot be locked: another transaction may create one of them
// afterwards. A caller that expects one not to exist looks at the result of ReplaceEntities.
func (db *DB) LockEntities(ctx context.Context, spaceID string, ids []string) (map[string]string, error) {
	var found []struct{ EntityID, Type string }
	err := db.idb.NewRaw(`SELECT entity_id, type FROM entities WHERE space_id = ? AND entity_id = ANY(?::text[])
		ORDER BY entity_id FOR NO KEY UPDATE`, spaceID, pgdialect.Array(ids)).Scan(ctx, &found)
	types := make(map[string]string, len(found))
	for _, entity := range found {
		types[entity.EntityID] = entity.Type
	}
	return types, translate(err)
}

// ReplaceEntities stores the entities with exactly their type and data, and keeps the state of
// entities that exist. It returns, by id, whether it created (true) or changed (false) an entity;
// unchanged entities are omitted. It never turns a gate into another entity, or the reverse.
//
// It is one statement whatever their number. The conditions of the conflict decide which rows it
// skips: a row with the same type and data, so that a repeated change set writes nothing, and a row
// whose change would make a gate of it. The rows are written in the order sent, which gives new
// entities their sequence.
func (db *DB) ReplaceEntities(ctx context.Context, spaceID string, entities []*model.Entity) (map[string]bool, error) {
	ids, types, data := make([]string, len(entities)), make([]string, len(entities)), make([]string, len(entities))
	for i, entity := range entities {
		ids[i], types[i], data[i] = entity.EntityID, entity.Type, string(entity.Data)
	}
	var stored []struct {
		EntityID string
		Created  bool
	}
	err := db.idb.NewRaw(`INSERT INTO entities AS e (space_id, entity_id, type, data, state, created_at, changed_at)
		SELECT ?, sent.id, sent.type, sent.data::jsonb, '{}', ?, ?
		FROM unnest(?::text[], ?::text[], ?::text[]) WITH ORDINALITY AS sent (id, type, data, place) ORDER BY place
		ON CONFLICT (space_id, entity_id) DO UPDATE
		SET type = EXCLUDED.type, data = EXCLUDED.data, changed_at = EXCLUDED.changed_at, version = e.version + 1
		WHERE (e.data <> EXCLUDED.data OR e.type <> EXCLUDED.type)
			AND (e.type IN `+gateTypes+`) = (EXCLUDED.type IN `+gateTypes+`)
		RETURNING entity_id, xmax = 0 AS created`,
		spaceID, model.Now(), model.Now(), pgdialect.Array(ids), pgdialect.Array(types), pgdialect.Array(data)).Scan(ctx, &stored)
	created := make(map[string]bool, len(stored))
	for _, entity := range stored {
		created[entity.EntityID] = entity.Created
	}
	if len(created) > 0 {
		db.announceChange(spaceID)
	}
	return created, translate(err)
}

// DeleteEntities deletes the entities with these ids.
//
// The trigger of the statement records all of them as one set of changes, and counts their bytes
// once.
func (db *DB) DeleteEntities(ctx context.Context, spaceID string, ids []string) error {
	_, err := db.idb.NewDelete().Model((*model.Entity)(nil)).
		Where("space_id = ? AND entity_id = ANY(?::text[])", spaceID, pgdialect.Array(ids)).Exec(ctx)
	db.announceChange(spaceID)
	return translate(err)
}
