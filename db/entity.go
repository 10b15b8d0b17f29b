package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// listedEntity is the condition that an entity is one of the space's own: lists and totals leave
// out RoomInfo.
const listedEntity = "entity_id <> '" + model.RoomInfoID + "'"

// entityColumns are the columns of an entity, named: SELECT * would break the prepared statements
// of a process that runs while a migration adds a column. appendFields has the same order.
//
// The times are numbers of seconds (epoch), because Postgres writes and Go parses these faster than
// timestamps. A page has hundreds of them.
const entityColumns = "e.space_id, e.entity_id, e.sequence, e.type, e.data, e.state, " +
	"date_part('epoch', e.created_at), date_part('epoch', e.changed_at), e.version"

// gateTypes are the types of gates, as a list of SQL: model.Entity.IsGate is the same rule in Go.
const gateTypes = "('" + model.TypeGate + "', '" + model.TypeDynamicGate + "')"

// fromOrigin stores the origin of the write, $5, for the trigger that records history. It is a
// condition that is always true, because a separate statement would cost a round trip.
const fromOrigin = " AND set_config('portico.origin', $5, true) IS NOT NULL"

// The prepared statements of the entity operations. All except entityWithSpace find nothing in the
// space of another user. The statements that write also find nothing in a space that another editor
// has locked, and store the origin of the write for the history.
//
// The statements that write merge in SQL instead of reading the data first. Two concurrent writes
// to one entity therefore both take effect: the second waits for the row of the first, and
// Postgres, in its default isolation level, merges the second into the committed result of the
// first. A writer that wants to replace only what it has read sends the expected version, and finds
// nothing when another write was faster.
//
// Each is one round trip, and finds the entity by the primary key, or the page by
// entities_by_space. A page of large entities needs more (EntitiesOfAnySize).
//
// They are variables, because some conditions come from functions. Nothing changes them.
//
// The parameters, which ownedSpace and editableSpace in owner.go use too:
//
//	$1  the id of the space
//	$2  the id of the entity, or the sequence after which a page starts
//	$3  the id of the caller's account
//	$4  the token of the request's lock; in OwnedEntities the number of rows
//	$5  the origin of the write; in OwnedEntities the bytes of a page
var (
	ownedEntity = "SELECT " + entityColumns + ` FROM entities AS e, spaces AS s
		WHERE e.space_id = $1 AND e.entity_id = $2 AND ` + ownedSpace

	// The space's owner and privacy are for access.MayRead.
	entityWithSpace = "SELECT " + entityColumns + `, s.owner_id, s.privacy FROM entities AS e JOIN spaces AS s ON s.id = e.space_id
		WHERE e.space_id = $1 AND e.entity_id = $2`

	// Not prepared, because Bun writes the arrays of ids into its text.
	entitiesWithSpaces = "SELECT " + entityColumns + `, s.owner_id, s.privacy
		FROM unnest(?::text[], ?::text[]) AS wanted (space_id, entity_id)
		JOIN entities AS e USING (space_id, entity_id) JOIN spaces AS s ON s.id = e.space_id`

	// Gates are left out, here and in putOwned: their data must follow rules that need the merged
	// data and other rows, so MergeEntity writes them in a transaction.
	mergeOwned = `UPDATE entities AS e SET data = merge_data(e.data, $6::jsonb), changed_at = $7, version = e.version + 1
		FROM spaces AS s WHERE e.space_id = $1 AND e.entity_id = $2 AND ` + editableSpace + `
		AND e.type NOT IN ` + gateTypes + ` AND ($8::integer IS NULL OR e.version = $8)` + fromOrigin + `
		RETURNING ` + entityColumns

	deleteOwned = `DELETE FROM entities AS e USING spaces AS s
		WHERE e.space_id = $1 AND e.entity_id = $2 AND ` + editableSpace + fromOrigin + `
		RETURNING e.entity_id`

	// The SELECT returns no row unless the caller may write to the space, and then nothing is inserted
	// or updated. The conflict makes a repeated or concurrent request with the same id a merge instead
	// of an error. xmax is 0 in a row that was inserted, and not 0 in a row that was updated.
	//
	// set_config in the SELECT runs before the insert, so the triggers of the insert see the
	// origin. RoomInfo is stored like any entity: firstEntities in package graph makes it, and
	// setType is false for it.
	putOwned = `INSERT INTO entities AS e (space_id, entity_id, type, data, state, created_at, changed_at)
		SELECT s.id, $2, $6, $7::jsonb, '{}', $8::timestamptz, $8::timestamptz FROM spaces AS s WHERE ` + editableSpace + fromOrigin + `
		ON CONFLICT (space_id, entity_id) DO UPDATE
		SET data = merge_data(e.data, coalesce($10::jsonb, EXCLUDED.data)), changed_at = EXCLUDED.changed_at,
			version = e.version + 1, type = CASE WHEN $9::boolean THEN EXCLUDED.type ELSE e.type END
		WHERE e.type NOT IN ` + gateTypes + ` RETURNING ` + entityColumns + ", xmax = 0"
)

// OwnedEntity returns the entity if its space is the owner's; nil otherwise.
func (db Entities) OwnedEntity(ctx context.Context, ownerID, spaceID, entityID string) (*model.Entity, error) {
	return db.scanEntity(ctx, nil, ownedEntity, spaceID, entityID, ownerID)
}

// EntityWithSpace returns an entity of any space, and of its space the id, the owner and the
// privacy; nil and nil if there is none. The caller decides who may read it.
func (db Entities) EntityWithSpace(ctx context.Context, spaceID, entityID string) (*model.Entity, *model.Space, error) {
	space := &model.Space{ID: spaceID}
	entity, err := db.scanEntity(ctx, []any{&space.OwnerID, &space.Privacy}, entityWithSpace, spaceID, entityID)
	if err != nil || entity == nil {
		return nil, nil, err
	}
	return entity, space, nil
}

// EntitiesWithSpaces returns the entities with these ids that exist, by id, and what
// EntityWithSpace returns of their spaces, by the id of the space. An id has the id of the
// space, a slash and the id of the entity.
func (db Entities) EntitiesWithSpaces(ctx context.Context, ids []string) (map[string]*model.Entity, map[string]*model.Space, error) {
	spaceIDs, entityIDs := make([]string, len(ids)), make([]string, len(ids))
	for i, id := range ids {
		spaceIDs[i], entityIDs[i], _ = strings.Cut(id, "/")
	}
	entities, spaces := map[string]*model.Entity{}, map[string]*model.Space{}
	found, err := db.idb.QueryContext(ctx, entitiesWithSpaces, pgdialect.Array(spaceIDs), pgdialect.Array(entityIDs))
	if err != nil {
		return entities, spaces, translate(err)
	}
	defer func() { _ = found.Close() }() // Err below returns the error
	for found.Next() {
		entity, space := new(model.Entity), new(model.Space)
		if err := found.Scan(append(appendFields(nil, entity), &space.OwnerID, &space.Privacy)...); err != nil {
			return entities, spaces, err
		}
		space.ID = entity.SpaceID
		entities[entity.SpaceID+"/"+entity.EntityID], spaces[space.ID] = entity, space
	}
	return entities, spaces, translate(found.Err())
}

// MergeOwnedEntity merges in.Data into the data of the entity, if its space is the
// owner's and not locked and the entity has the expected version, and returns it; nil
// otherwise, and for a gate: see MergeEntity.
//
// merge_data merges by the fields of entity_data, and within dynamicGate by field again (API
// section 4). The version of a gate is checked by MergeEntity, because this statement finds no
// gates.
func (db Entities) MergeOwnedEntity(ctx context.Context, ownerID string, in model.UpdateEntity) (*model.Entity, error) {
	entity, err := db.scanEntity(ctx, nil, mergeOwned, in.SpaceID, in.EntityID, ownerID,
		model.LockToken(ctx), db.History().originOf(ctx), in.Data, model.Now(), in.ExpectedVersion)
	if entity != nil {
		db.announceChange(in.SpaceID)
	}
	return entity, err
}

// DeleteOwnedEntity deletes the entity if its space is the owner's and not locked, and reports
// whether it did.
func (db Entities) DeleteOwnedEntity(ctx context.Context, ownerID, spaceID, entityID string) (bool, error) {
	deleted := false
	err := db.rows(ctx, func(*sql.Rows) error {
		deleted = true
		return nil
	}, deleteOwned, spaceID, entityID, ownerID, model.LockToken(ctx), db.History().originOf(ctx))
	if deleted {
		db.announceChange(spaceID)
	}
	return deleted, err
}

// PutOwnedEntity stores a new entity if its space is the owner's and not locked. Where the id is
// taken it merges sent into the data of the entity that has it; sent is nil when it equals
// entity.Data. PutOwnedEntity returns the stored entity and whether it is new; nil when the space
// is not the owner's, or locked, or the id belongs to a gate.
func (db Entities) PutOwnedEntity(
	ctx context.Context, ownerID string, entity *model.Entity, sent model.Object, setType bool,
) (stored *model.Entity, created bool, err error) {
	stored, err = db.scanEntity(ctx, []any{&created}, putOwned, entity.SpaceID, entity.EntityID, ownerID,
		model.LockToken(ctx), db.History().originOf(ctx), entity.Type, entity.Data, entity.CreatedAt, setType, sent)
	if stored != nil {
		db.announceChange(entity.SpaceID)
	}
	return stored, created, err
}

// scanEntity runs a statement that returns entityColumns, and after them the columns that are
// stored in more. It returns the entity; nil for no row. The statements find one row by the primary
// key, so a second row cannot overwrite the first.
func (db Entities) scanEntity(ctx context.Context, more []any, text string, args ...any) (entity *model.Entity, err error) {
	err = db.rows(ctx, func(row *sql.Rows) error {
		entity = new(model.Entity)
		return row.Scan(append(appendFields(nil, entity), more...)...)
	}, text, args...)
	return entity, err
}

// appendFields appends where Scan stores entityColumns.
func appendFields(fields []any, e *model.Entity) []any {
	return append(fields, &e.SpaceID, &e.EntityID, &e.Sequence, &e.Type, (*ownJSON)(&e.Data), (*ownJSON)(&e.State),
		(*epoch)(&e.CreatedAt), (*epoch)(&e.ChangedAt), &e.Version)
}

// AddEntity stores a new entity and reports whether its id was free. The caller has
// checked the owner of the space.
//
// RETURNING sets the origin although the row was inserted already: the trigger that records an
// insert runs after the row, at the end of the statement.
func (db Entities) AddEntity(ctx context.Context, entity *model.Entity) (bool, error) {
	result, err := db.idb.NewInsert().Model(entity).On("CONFLICT (space_id, entity_id) DO NOTHING").
		Returning("sequence, set_config('portico.origin', ?, true)", db.History().originOf(ctx)).Exec(ctx)
	if err != nil {
		return false, translate(err)
	}
	added, err := rowChanged(result, nil)
	if added {
		db.announceChange(entity.SpaceID)
	}
	return added, err
}

// MergeEntity merges in.Data into the data of the entity, a gate or not, and returns
// it; nil when there is none with the expected version. The caller has checked the owner of the
// space, and checks the rules of gates against the merged data in the same transaction: its error
// rolls the merge back.
func (db Entities) MergeEntity(ctx context.Context, in model.UpdateEntity) (*model.Entity, error) {
	var rows []*model.Entity
	err := db.idb.NewUpdate().Model((*model.Entity)(nil)).
		Set("data = merge_data(data, ?::jsonb)", in.Data).
		Set("changed_at = ?", model.Now()).Set("version = version + 1").
		Where("space_id = ? AND entity_id = ?", in.SpaceID, in.EntityID).
		Where("? IS NULL OR version = ?", in.ExpectedVersion, in.ExpectedVersion).
		Where(setOrigin, db.History().originOf(ctx)).Returning("*").Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return nil, translate(err)
	}
	db.announceChange(in.SpaceID)
	return rows[0], nil
}

// Entities returns a page of the space's entities in the order of their creation, without RoomInfo.
//
// The prepared statement finds nothing on an empty page and on a page of large entities.
func (db Entities) Entities(ctx context.Context, spaceID string, page model.Page) (*model.EntityConnection, error) {
	entities, err := db.pageOfEntities(ctx, spaceID, page, entitiesOfSpace, spaceID, page.After, page.Limit+1, model.MaxPageBytes)
	if err != nil || entities != nil {
		return entities, err
	}
	return db.EntitiesOfAnySize(ctx, spaceID, page)
}

// EntitiesOfAnySize returns the page of Entities without the prepared statement, so it also finds
// an empty page and a page of large entities. It sums the bytes of the rows one by one, to know
// where the page ends, and takes longer.
func (db Entities) EntitiesOfAnySize(ctx context.Context, spaceID string, page model.Page) (*model.EntityConnection, error) {
	pages, err := db.pagesOfEntities(ctx, []string{spaceID}, model.EntityFilter{}, page)
	return pages[spaceID], err
}

// OwnedEntities returns a page of the entities of the owner's space, if the page and the entity
// after it have at most model.MaxPageBytes together; nil otherwise, and for an empty page.
func (db Entities) OwnedEntities(ctx context.Context, ownerID, spaceID string, page model.Page) (*model.EntityConnection, error) {
	return db.pageOfEntities(ctx, spaceID, page, entitiesOfOwned, spaceID, page.After, ownerID, page.Limit+1, model.MaxPageBytes)
}

// pageOfEntities returns the page that a statement reads with one entity more, if there is one; nil
// for no row.
//
// The total is counted outside of the prepared statement when it is not kept yet, see
// completeTotal.
func (db Entities) pageOfEntities(
	ctx context.Context, spaceID string, page model.Page, text string, args ...any,
) (*model.EntityConnection, error) {
	entities, total := make([]*model.Entity, 0, page.Limit+1), 0
	var fields []any
	err := db.rows(ctx, func(row *sql.Rows) error {
		entity := new(model.Entity)
		entities = append(entities, entity)
		fields = append(appendFields(fields[:0], entity), &total)
		return row.Scan(fields...)
	}, text, args...)
	if err != nil || len(entities) == 0 {
		return nil, err
	}
	more := len(entities) > page.Limit
	if more {
		entities = entities[:page.Limit]
	}
	total, err = db.completeTotal(ctx, spaceID, total)
	return (*model.EntityConnection)(model.NewPage(entities, more, total)), err
}

var (
	entitiesOfSpace = pageOfSpace("$3", "$4", "")
	entitiesOfOwned = pageOfSpace("$4", "$5", " AND EXISTS (SELECT FROM spaces AS s WHERE "+ownedSpace+")")
)

// pageOfSpace returns the statement that selects the first entities of the space $1 after the
// sequence $2, if they have at most the bytes of a page together. The sizes come from the rows' own
// column, so that Postgres reads the JSON of no entity that it does not return.
func pageOfSpace(limit, bytes, condition string) string {
	from := " FROM entities AS e WHERE e.space_id = $1 AND e." + listedEntity + " AND e.sequence > $2"
	first := " ORDER BY e.sequence LIMIT " + limit
	return "SELECT " + entityColumns + ", " + entityTotal("$1") + from + `
		AND (SELECT sum(bytes) FROM (SELECT e.bytes` + from + first + ") AS page) <= " + bytes + condition + first
}

// epoch reads the result of date_part('epoch', time): the seconds since 1970, in double precision.
//
// Until the year 2242, the 53 bits of such a number are exact to a microsecond, which is the
// precision of Postgres.
type epoch model.Time

// Scan implements sql.Scanner. It converts whole seconds and the fraction separately, because the
// product of the whole number and a million would be rounded.
func (e *epoch) Scan(src any) error {
	number, ok := src.(float64)
	if !ok {
		return fmt.Errorf("scan seconds since 1970: unexpected %T", src)
	}
	seconds, fraction := math.Modf(number)
	microseconds := math.Round(fraction * 1e6)
	e.Time = time.Unix(int64(seconds), int64(microseconds)*int64(time.Microsecond)).UTC()
	return nil
}

// ownJSON reads a jsonb column and keeps the bytes of the driver. database/sql asks a Scanner to
// copy them, for drivers that use one buffer for all rows. pgdriver reads each value into a slice of
// its own (readColumnValue), and a copy would double what a page of entities allocates.
type ownJSON model.Object

// Scan implements sql.Scanner.
func (o *ownJSON) Scan(src any) error {
	json, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("scan jsonb: unexpected %T", src)
	}
	*o = json
	return nil
}

// entitiesOfBatch is how many entities EntitiesNaming returns, each of at most 1 MiB.
const entitiesOfBatch = 16

// EntitiesNaming returns the next entities of the space, after the one with this sequence, whose
// data contains the text, such as the address of a file. No other transaction changes them until
// this one ends.
func (db Entities) EntitiesNaming(ctx context.Context, spaceID, text string, after int64) ([]*model.Entity, error) {
	var found []*model.Entity
	err := db.idb.NewSelect().Model(&found).Where("space_id = ? AND sequence > ?", spaceID, after).
		Where("strpos(data::text, ?) > 0", text).Order("sequence").Limit(entitiesOfBatch).For("NO KEY UPDATE").Scan(ctx)
	return found, translate(err)
}

// EntitiesOfSpace returns the entities of the space with these ids that exist, by id.
func (db Entities) EntitiesOfSpace(ctx context.Context, spaceID string, ids []string) (map[string]*model.Entity, error) {
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
func (db Entities) LockEntities(ctx context.Context, spaceID string, ids []string) (map[string]string, error) {
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
func (db Entities) ReplaceEntities(ctx context.Context, spaceID string, entities []*model.Entity) (map[string]bool, error) {
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
func (db Entities) DeleteEntities(ctx context.Context, spaceID string, ids []string) error {
	_, err := db.idb.NewDelete().Model((*model.Entity)(nil)).
		Where("space_id = ? AND entity_id = ANY(?::text[])", spaceID, pgdialect.Array(ids)).Exec(ctx)
	db.announceChange(spaceID)
	return translate(err)
}

// EntitiesOf returns a page of each space's entities that pass the filter, without RoomInfo,
// by the spaces' ids.
//
// A filter by type counts at most model.MaxCounted rows, because no total of types is kept.
func (db Entities) EntitiesOf(
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
func (db Entities) pagesOfEntities(
	ctx context.Context, spaceIDs []string, filter model.EntityFilter, page model.Page,
) (map[string]*model.EntityConnection, error) {
	shown := listing{
		table: "entities", where: "space_id = " + eachParent + " AND " + listedEntity, size: "bytes",
		total: entityTotal(eachParent), bounded: true,
	}
	if len(filter.Type) > 0 {
		shown.addCondition("type = ANY(?::text[])", pgdialect.Array(filter.Type))
		return entityPages(listEach[model.Entity](ctx, db.DB, shown, spaceIDs, page))
	}
	pages, err := entityPages(listEach[model.Entity](ctx, db.DB, shown, spaceIDs, page))
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
func (db Entities) EntitiesThatShow(
	ctx context.Context, ownerID string, addresses []string, page model.Page,
) (map[string]*model.EntityConnection, error) {
	entities := listing{
		table: entitiesThatShow, newest: true, size: "bytes", bounded: true,
		where: "space_id IN (SELECT id FROM spaces WHERE " + ownedBy("?") + ")", args: []any{ownerID},
	}
	return entityPages(listEach[model.Entity](ctx, db.DB, entities, addresses, page))
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
func (db Entities) AllEntities(ctx context.Context, spaceID string, maxBytes int64) ([]*model.Entity, error) {
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
func (db Entities) ShownAddress(ctx context.Context, spaceID string) (string, error) {
	var address string
	err := db.idb.NewSelect().Model((*model.Entity)(nil)).ColumnExpr("coalesce(data->>'glbUrl', '')").
		Where("space_id = ? AND type = ?", spaceID, model.TypeUserModel).
		Order("sequence").Limit(1).Scan(ctx, &address)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return address, translate(err)
}
