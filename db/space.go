package db

import (
	"context"
	"database/sql"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// AddSpace stores a new space with its first entities.
//
// The entities of a new space are not recorded as changes: the trigger spaces_without_history sets
// the origin of the transaction to none.
func (db *DB) AddSpace(ctx context.Context, space *model.Space, entities []*model.Entity) error {
	return db.InTx(ctx, func(tx *DB) error {
		if _, err := tx.idb.NewInsert().Model(space).Exec(ctx); err != nil {
			return translate(err)
		}
		if _, err := tx.idb.NewInsert().Model(&entities).Exec(ctx); err != nil {
			return translate(err)
		}
		tx.Announce(SpacesTopic(space.OwnerID))
		if space.Privacy != model.Public {
			return nil
		}
		return tx.addSpaceEvent(ctx, model.WebhookSpacePublished, space)
	})
}

// Space returns the space with this id. It finds none for an unchecked caller whose key was
// revoked.
func (db *DB) Space(ctx context.Context, id string) (*model.Space, error) {
	space := new(model.Space)
	err := db.rows(ctx, func(row *sql.Rows) error { return db.root.ScanRow(ctx, row, space) },
		db.prepared.spaceByID(db.root), id, uncheckedKey(ctx))
	if err == nil && space.ID == "" {
		err = model.NotFound(model.SpaceNotFound)
	}
	return space, err
}

// spaceByID returns the statement of Space, in which Bun names the columns of the model.
func (p *prepared) spaceByID(root *bun.DB) string {
	p.spaceOnce.Do(func() {
		p.spaceText = root.NewSelect().Model((*model.Space)(nil)).ColumnExpr("?TableColumns, " + readAt).
			Where("space.id = $1 AND " + validKey("$2")).String()
	})
	return p.spaceText
}

// SpaceForUpdate is Space that locks the row: no other transaction changes the space until this one
// ends. NO KEY UPDATE lets other transactions add entities, whose foreign key takes KEY SHARE.
func (db *DB) SpaceForUpdate(ctx context.Context, id string) (*model.Space, error) {
	space := new(model.Space)
	err := db.idb.NewSelect().Model(space).ColumnExpr("?TableColumns, "+readAt).Where("id = ?", id).For("NO KEY UPDATE").Scan(ctx)
	return space, translateNotFound(err, model.SpaceNotFound)
}

// SpacesByID returns the spaces with these ids that exist, by id.
func (db *DB) SpacesByID(ctx context.Context, ids []string) (map[string]*model.Space, error) {
	var found []*model.Space
	err := db.idb.NewSelect().Model(&found).ColumnExpr("?TableColumns, "+readAt).
		Where("id = ANY(?::text[])", pgdialect.Array(ids)).Scan(ctx)
	spaces := make(map[string]*model.Space, len(found))
	for _, space := range found {
		spaces[space.ID] = space
	}
	return spaces, translate(err)
}

// SpacesOf returns a page of the owner's spaces, newest first.
//
// Every order of a page has an index that begins with the owner.
func (db *DB) SpacesOf(ctx context.Context, ownerID string, filter model.SpaceFilter, page model.Page) (*model.SpaceConnection, error) {
	rows := spaceListing(ownedBy("?"), ownerID)
	rows.total, rows.totalArgs = keptTotal("ANY(?::text[])"), []any{pgdialect.Array(spaceLists(ownerID, filter.Privacy))}
	if err := rows.filterSpaces(ctx, db, filter, page.Search); err != nil {
		return nil, err
	}
	spaces, err := list[model.Space](ctx, db, rows, page)
	return (*model.SpaceConnection)(spaces), err
}

// PublicSpacesOf returns a page of each owner's Public spaces, newest first, by the owners'
// ids.
func (db *DB) PublicSpacesOf(ctx context.Context, ownerIDs []string, page model.Page) (map[string]*model.SpaceConnection, error) {
	rows := spaceListing(ownedBy(eachParent) + " AND " + public)
	rows.total = keptTotal(eachParent + " || ' Public'")
	if err := rows.filterSpaces(ctx, db, model.SpaceFilter{}, page.Search); err != nil {
		return nil, err
	}
	found, err := listEach[model.Space](ctx, db, rows, ownerIDs, page)
	spaces := make(map[string]*model.SpaceConnection, len(found))
	for id, page := range found {
		spaces[id] = (*model.SpaceConnection)(page)
	}
	return spaces, err
}

// PublicSpaces returns a page of the Public spaces of all accounts, newest first.
//
// The indexes spaces_public* contain the Public spaces only, so Private ones cost nothing here.
func (db *DB) PublicSpaces(ctx context.Context, filter model.SpaceFilter, page model.Page) (*model.SpaceConnection, error) {
	rows := spaceListing(public)
	if len(filter.Privacy) == 0 {
		rows.total = keptTotal("'Public'")
	}
	if err := rows.filterSpaces(ctx, db, filter, page.Search); err != nil {
		return nil, err
	}
	spaces, err := list[model.Space](ctx, db, rows, page)
	return (*model.SpaceConnection)(spaces), err
}

// spaceListing returns the list of the spaces that meet the condition, newest first.
func spaceListing(where string, args ...any) listing {
	return listing{
		table: "spaces", columns: "*, " + readAt, newest: true, where: where, args: args, bounded: true, size: spaceSize(),
	}
}

// filterSpaces leaves the spaces that match the filter, and whose title or description contains the
// text; empty for any text. The kept total respects the privacies of the filter.
func (l *listing) filterSpaces(ctx context.Context, db *DB, filter model.SpaceFilter, text string) error {
	if len(filter.Privacy) > 0 {
		l.addCountedCondition("privacy = ANY(?::text[])", pgdialect.Array(filter.Privacy))
	}
	if !filter.ChangedSince.IsZero() {
		l.addCondition("touched_at >= ?", filter.ChangedSince)
	}
	if filter.Shared { // the condition of the indexes
		l.addCondition("jsonb_typeof(data->'splatjs') = 'object'")
	}
	if text == "" {
		return nil
	}
	return l.filterByText(ctx, db, text)
}

// spaceSize returns an expression for the number of bytes of a space that its owner chose.
func spaceSize() string {
	return "bytes + octet_length(" + strings.Join(model.SpaceTextColumns(), ") + octet_length(") + ")"
}

// likeEscaper escapes a text for a LIKE pattern.
var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// UpdateSpace stores the fields that the input sets and returns the updated space. A space
// that does not have the expected version is not found.
//
// data || sent replaces top-level fields. touched_at never goes back, because changeTimeWriter
// writes it too.
func (db *DB) UpdateSpace(ctx context.Context, in model.UpdateSpace) (*model.Space, error) {
	space, now := new(model.Space), model.Now()
	query := db.idb.NewUpdate().Model(space).Where("id = ?", in.SpaceID).Where(setOrigin, db.originOf(ctx)).
		Set("changed_at = ?", now).Set("touched_at = greatest(touched_at, ?)", now).
		Set("version = version + 1").Returning("*, " + readAt)
	if in.ExpectedVersion != nil {
		query.Where("version = ?", *in.ExpectedVersion)
	}
	setTexts(query, in.SpaceTextInput)
	setIf(query, "privacy", in.Privacy)
	setIf(query, "plugins_for_visitors", in.PluginsForVisitors)
	if in.Presence != nil {
		query.Set("presence_off = ?", !*in.Presence)
	}
	if in.Data != nil {
		query.Set("data = data || ?::jsonb", in.Data)
	}
	if err := query.Scan(ctx); err != nil {
		return nil, translateNotFound(err, model.SpaceNotFound)
	}
	db.Announce(SpaceTopic(space.ID), SpacesTopic(space.OwnerID))
	return space, nil
}

func setTexts(query *bun.UpdateQuery, in model.SpaceTextInput) {
	for column, text := range in.Texts() {
		query.Set("? = ?", bun.Ident(column), text)
	}
}

func setIf[T any](query *bun.UpdateQuery, column string, value *T) {
	if value != nil {
		query.Set("? = ?", bun.Ident(column), *value)
	}
}

// DeleteSpace deletes the space with its entities and reports whether it existed. Entities, files,
// versions, visits and reports go with it by their foreign keys.
func (db *DB) DeleteSpace(ctx context.Context, id string) (deleted bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		var spaces []*model.Space
		err := tx.idb.NewDelete().Model(&spaces).Where("id = ?", id).Returning("id, owner_id, title").Scan(ctx)
		if err != nil || len(spaces) == 0 {
			return translate(err)
		}
		deleted = true
		tx.Announce(SpaceTopic(id), SpacesTopic(spaces[0].OwnerID))
		return tx.addSpaceEvent(ctx, model.WebhookSpaceDeleted, spaces[0])
	})
	return deleted && err == nil, err
}
