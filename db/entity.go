package db

import (
	"context"
	"database/sql"
	"errors"

	"portico/model"
)

// Entity returns the entity of the space with this id.
func (db *DB) Entity(ctx context.Context, spaceID, entityID string) (*model.Entity, error) {
	entity := new(model.Entity)
	err := db.idb.NewSelect().Model(entity).
		Where("space_id = ? AND entity_id = ?", spaceID, entityID).Scan(ctx)
	return entity, one(err, model.EntityNotFound)
}

// AddEntity stores a new entity and reports whether its id was free.
func (db *DB) AddEntity(ctx context.Context, entity *model.Entity) (bool, error) {
	result, err := db.idb.NewInsert().Model(entity).
		On("CONFLICT (space_id, entity_id) DO NOTHING").Exec(ctx)
	if err != nil {
		return false, translateSpace(err)
	}
	added, err := changed(result, nil)
	if added {
		db.Announce(SpaceTopic(entity.SpaceID))
	}
	return added, err
}

// Entities returns a page of the space's entities in the order of their
// creation, without RoomInfo.
func (db *DB) Entities(ctx context.Context, spaceID string, page model.Page) (*model.EntityConnection, error) {
	entities, total, more := make([]*model.Entity, 0, page.Limit), 0, false
	err := db.rows(ctx, func(row *sql.Rows) error {
		entity := new(model.Entity)
		entities = append(entities, entity)
		return row.Scan(append(entityFields(entity), &total, &more)...)
	}, entitiesOfSpace, spaceID, page.After, page.Limit, model.MaxPageBytes)
	if err != nil {
		return nil, err
	}
	if len(entities) == 0 { // behind the end, or none at all
		err = db.rows(ctx, func(row *sql.Rows) error { return row.Scan(&total) }, countOfSpace, spaceID)
	}
	return (*model.EntityConnection)(model.NewPage(entities, more, total)), err
}

const (
	countOfSpace = "SELECT count(*) FROM entities WHERE space_id = $1 AND entity_id <> 'RoomInfo'"

	// The bytes are summed up from the rows' own sizes, so that no data is read but
	// what is answered.
	entitiesOfSpace = "SELECT " + entityColumns + ", (" + countOfSpace + `), e.next IS NOT NULL
		FROM (
			SELECT ` + entityColumns + `, sum(bytes) OVER page AS upto, lead(sequence) OVER page AS next, row_number() OVER page AS place
			FROM entities AS e WHERE space_id = $1 AND entity_id <> 'RoomInfo' AND sequence > $2
			WINDOW page AS (ORDER BY sequence ROWS UNBOUNDED PRECEDING) ORDER BY sequence LIMIT $3
		) AS e WHERE e.upto <= $4 OR e.place = 1 ORDER BY e.sequence`
)

// notGate keeps what the rules of gates do not hold for: those are checked
// against the merged data, in a transaction.
const notGate = "entity.type NOT IN ('Gate', 'DynamicGate')"

// PutEntity stores a new entity, or lays sent over the data of the one that has
// its id and is no gate, in one statement. It returns the entity as it is then
// and whether it is new; nil when the id belongs to a gate.
func (db *DB) PutEntity(ctx context.Context, entity *model.Entity, sent model.Object, setType bool) (*model.Entity, bool, error) {
	var rows []struct {
		model.Entity
		Created bool
	}
	query := db.idb.NewInsert().Model(entity).
		On("CONFLICT (space_id, entity_id) DO UPDATE").
		Set("data = merge_data(entity.data, ?::jsonb)", sent).
		Set("changed_at = EXCLUDED.changed_at").
		Where(notGate).
		// xmax is 0 in a row that nobody has updated: it was inserted.
		Returning("*, xmax = 0 AS created")
	if setType {
		query.Set("type = EXCLUDED.type")
	}
	if err := query.Scan(ctx, &rows); err != nil || len(rows) == 0 {
		return nil, false, translateSpace(err)
	}
	db.Announce(SpaceTopic(entity.SpaceID))
	return &rows[0].Entity, rows[0].Created, nil
}

// ShownAddress returns the address of the file that the space's first model shows;
// "" for none.
func (db *DB) ShownAddress(ctx context.Context, spaceID string) (string, error) {
	var address string
	err := db.idb.NewSelect().Model((*model.Entity)(nil)).ColumnExpr("coalesce(data->>'glbUrl', '')").
		Where("space_id = ? AND type = ?", spaceID, model.TypeUserModel).
		Order("sequence").Limit(1).Scan(ctx, &address)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return address, translate(err)
}

// translateSpace tells that the space of a new entity was deleted meanwhile.
func translateSpace(err error) error {
	if violates(err, "entities_space_id_fkey") {
		return model.NotFound(model.SpaceNotFound)
	}
	return translate(err)
}

// MergeEntity lays sent over the data of the entity, unless it is a gate and
// gates is false, in one statement. It returns nil when there is no such entity.
func (db *DB) MergeEntity(ctx context.Context, in model.UpdateEntity, gates bool) (*model.Entity, error) {
	var rows []*model.Entity
	query := db.idb.NewUpdate().Model((*model.Entity)(nil)).
		Set("data = merge_data(data, ?::jsonb)", in.Data).
		Set("changed_at = ?", model.Now()).
		Where("space_id = ? AND entity_id = ?", in.SpaceID, in.EntityID).Returning("*")
	if !gates {
		query.Where(notGate)
	}
	if err := query.Scan(ctx, &rows); err != nil || len(rows) == 0 {
		return nil, translate(err)
	}
	db.Announce(SpaceTopic(in.SpaceID))
	return rows[0], nil
}

// DeleteEntity removes the entity and reports whether it was there.
func (db *DB) DeleteEntity(ctx context.Context, spaceID, entityID string) (bool, error) {
	deleted, err := changed(db.idb.NewDelete().Model((*model.Entity)(nil)).
		Where("space_id = ? AND entity_id = ?", spaceID, entityID).Exec(ctx))
	if deleted {
		db.Announce(SpaceTopic(spaceID))
	}
	return deleted, err
}
