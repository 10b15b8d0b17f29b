package db

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// EntitiesOf returns a page of each space's entities that pass the filter, without RoomInfo,
// by the spaces' ids.
//
// A filter by type counts at most model.MaxCounted rows, because no total of types is kept.
func (db *DB) EntitiesOf(
	ctx context.Context, spaceIDs []string, filter model.EntityFilter, page model.Page,
) (map[string]*model.EntityConnection, error) {
	// The most frequent page of one space has a prepared statement.
	if len(spaceIDs) == 1 && len(filter.Type) == 0 && !page.Backward && page.After == 0 && page.Before == 0 && page.Order == (model.Order{}) {
		entities, err := db.Entities(ctx, spaceIDs[0], page)
		return map[string]*model.EntityConnection{spaceIDs[0]: entities}, err
	}
	return db.pagesOfEntities(ctx, spaceIDs, filter, page)
}

// pagesOfEntities reads the pages of EntitiesOf by the statement of any list.
func (db *DB) pagesOfEntities(
	ctx context.Context, spaceIDs []string, filter model.EntityFilter, page model.Page,
) (map[string]*model.EntityConnection, error) {
	shown := listing{
		table: "entities", where: "space_id = " + eachParent + " AND " + listedEntity, size: "bytes",
		total: entityTotal(eachParent), bounded: true,
	}
	if len(filter.Type) > 0 {
		shown.addCondition("type = ANY(?::text[])", pgdialect.Array(filter.Type))
		return entityPages(listEach[model.Entity](ctx, db, shown, spaceIDs, page))
	}
	pages, err := entityPages(listEach[model.Entity](ctx, db, shown, spaceIDs, page))
	for id, page := range pages {
		if err == nil {
			page.TotalCount, err = db.completeTotal(ctx, id, page.TotalCount)
		}
	}
	return pages, err
}

// entitiesThatShow selects the entities that show a file: as their model, or in any other field,
// such as the picture of a gate. The two parts share no row, and each reads an index.
//
// entities_by_file serves the first part, and entities_by_other_file the second, a GIN index over
// the ids of files in other fields. The address of the first part is compared too, because two
// addresses may have one hash.
const entitiesThatShow = `(
	SELECT * FROM entities WHERE shows = md5(` + eachParent + `)::uuid AND data->>'glbUrl' = ` + eachParent + `
	UNION ALL
	SELECT * FROM entities WHERE other_files IS NOT NULL AND other_files @> ARRAY[(regexp_match(` + eachParent + `, '(api_uploads|derived)/([a-z0-9]+)'))[2]]
		AND data->>'glbUrl' IS DISTINCT FROM ` + eachParent + `
) AS entities`

// EntitiesThatShow returns a page of the entities of the owner's spaces that show a file at
// each of these addresses, in any field, by address, the newest first.
func (db *DB) EntitiesThatShow(
	ctx context.Context, ownerID string, addresses []string, page model.Page,
) (map[string]*model.EntityConnection, error) {
	entities := listing{
		table: entitiesThatShow, newest: true, size: "bytes", bounded: true,
		where: "space_id IN (SELECT id FROM spaces WHERE " + ownedBy("?") + ")", args: []any{ownerID},
	}
	return entityPages(listEach[model.Entity](ctx, db, entities, addresses, page))
}

func entityPages(found map[string]*model.Connection[*model.Entity], err error) (map[string]*model.EntityConnection, error) {
	pages := make(map[string]*model.EntityConnection, len(found))
	for key, page := range found {
		pages[key] = (*model.EntityConnection)(page)
	}
	return pages, err
}

// AllEntities returns the entities of the space with RoomInfo, in the order of their creation. It
// refuses more than maxBytes of their JSON before it reads them. The two statements are not one
// snapshot: the space may grow a little in between.
func (db *DB) AllEntities(ctx context.Context, spaceID string, maxBytes int64) ([]*model.Entity, error) {
	var size int64
	err := db.idb.NewRaw("SELECT coalesce(sum(bytes), 0)::bigint FROM entities WHERE space_id = ?", spaceID).Scan(ctx, &size)
	if err != nil {
		return nil, translate(err)
	}
	if size > maxBytes {
		return nil, model.TooLargef("The entities of the space have more than %d bytes: read them page by page", maxBytes)
	}
	var entities []*model.Entity
	err = db.idb.NewSelect().Model(&entities).Where("space_id = ?", spaceID).Order("sequence").Scan(ctx)
	return entities, translate(err)
}

// ShownAddress returns the address of the file that the space's first model shows; ""
// for none.
//
// It reads entities_by_space in order and stops at the first model.
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
