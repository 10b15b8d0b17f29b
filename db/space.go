package db

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// AddSpace stores a new space with its first entities.
//
// The entities of a new space are not recorded as changes: the trigger spaces_without_history sets
// the origin of the transaction to none.
func (db Spaces) AddSpace(ctx context.Context, space *model.Space, entities []*model.Entity) error {
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
		return tx.Webhooks().addSpaceEvent(ctx, model.WebhookSpacePublished, space)
	})
}

// Space returns the space with this id.
func (db Spaces) Space(ctx context.Context, id string) (*model.Space, error) {
	space := new(model.Space)
	err := db.rows(ctx, func(row *sql.Rows) error { return db.root.ScanRow(ctx, row, space) },
		db.prepared.spaceByID(db.root), id)
	if err == nil && space.ID == "" {
		err = model.NotFound(model.SpaceNotFound)
	}
	return space, err
}

// spaceByID returns the statement of Space, in which Bun names the columns of the model.
func (p *prepared) spaceByID(root *bun.DB) string {
	p.spaceOnce.Do(func() {
		p.spaceText = root.NewSelect().Model((*model.Space)(nil)).ColumnExpr("?TableColumns, " + readAt).
			Where("space.id = $1").String()
	})
	return p.spaceText
}

// SpaceForUpdate is Space that locks the row: no other transaction changes the space until this one
// ends. NO KEY UPDATE lets other transactions add entities, whose foreign key takes KEY SHARE.
func (db Spaces) SpaceForUpdate(ctx context.Context, id string) (*model.Space, error) {
	space := new(model.Space)
	err := db.idb.NewSelect().Model(space).ColumnExpr("?TableColumns, "+readAt).Where("id = ?", id).For("NO KEY UPDATE").Scan(ctx)
	return space, translateNotFound(err, model.SpaceNotFound)
}

// SpacesByID returns the spaces with these ids that exist, by id.
func (db Spaces) SpacesByID(ctx context.Context, ids []string) (map[string]*model.Space, error) {
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
func (db Spaces) SpacesOf(ctx context.Context, ownerID string, filter model.SpaceFilter, page model.Page) (*model.SpaceConnection, error) {
	rows := spaceListing(ownedBy("?"), ownerID)
	rows.total, rows.totalArgs = keptTotal("ANY(?::text[])"), []any{pgdialect.Array(spaceLists(ownerID, filter.Privacy))}
	if err := rows.filterSpaces(ctx, db.DB, filter, page.Search); err != nil {
		return nil, err
	}
	spaces, err := list[model.Space](ctx, db.DB, rows, page)
	return (*model.SpaceConnection)(spaces), err
}

// PublicSpacesOf returns a page of each owner's Public spaces, newest first, by the owners'
// ids.
func (db Spaces) PublicSpacesOf(ctx context.Context, ownerIDs []string, page model.Page) (map[string]*model.SpaceConnection, error) {
	rows := spaceListing(ownedBy(eachParent) + " AND " + public)
	rows.total = keptTotal(eachParent + " || ' Public'")
	if err := rows.filterSpaces(ctx, db.DB, model.SpaceFilter{}, page.Search); err != nil {
		return nil, err
	}
	found, err := listEach[model.Space](ctx, db.DB, rows, ownerIDs, page)
	spaces := make(map[string]*model.SpaceConnection, len(found))
	for id, page := range found {
		spaces[id] = (*model.SpaceConnection)(page)
	}
	return spaces, err
}

// PublicSpaces returns a page of the Public spaces of all accounts, newest first.
//
// The indexes spaces_public* contain the Public spaces only, so Private ones cost nothing here.
func (db Spaces) PublicSpaces(ctx context.Context, filter model.SpaceFilter, page model.Page) (*model.SpaceConnection, error) {
	rows := spaceListing(public)
	if len(filter.Privacy) == 0 {
		rows.total = keptTotal("'Public'")
	}
	if err := rows.filterSpaces(ctx, db.DB, filter, page.Search); err != nil {
		return nil, err
	}
	spaces, err := list[model.Space](ctx, db.DB, rows, page)
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
	if filter.Template {
		l.addCondition("template")
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
func (db Spaces) UpdateSpace(ctx context.Context, in model.UpdateSpace) (*model.Space, error) {
	space, now := new(model.Space), model.Now()
	query := db.idb.NewUpdate().Model(space).Where("id = ?", in.SpaceID).Where(setOrigin, db.History().originOf(ctx)).
		Set("changed_at = ?", now).Set("touched_at = greatest(touched_at, ?)", now).
		Set("version = version + 1").Returning("*, " + readAt)
	if in.ExpectedVersion != nil {
		query.Where("version = ?", *in.ExpectedVersion)
	}
	setTexts(query, in.SpaceTextInput)
	setIf(query, "privacy", in.Privacy)
	setIf(query, "plugins_for_visitors", in.PluginsForVisitors)
	setIf(query, "copies_allowed", in.CopiesAllowed)
	setIf(query, "template", in.Template)
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
func (db Spaces) DeleteSpace(ctx context.Context, id string) (deleted bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		var spaces []*model.Space
		err := tx.idb.NewDelete().Model(&spaces).Where("id = ?", id).Returning("id, owner_id, title").Scan(ctx)
		if err != nil || len(spaces) == 0 {
			return translate(err)
		}
		deleted = true
		tx.Announce(SpaceTopic(id), SpacesTopic(spaces[0].OwnerID))
		return tx.Webhooks().addSpaceEvent(ctx, model.WebhookSpaceDeleted, spaces[0])
	})
	return deleted && err == nil, err
}

// uploadOfEntity is the id of the upload that the file of an entity came with. It is in
// every address of the file (see model.FileOf).
const uploadOfEntity = `(regexp_match(data->>'glbUrl', '(api_uploads|derived)/([a-z0-9]+)'))[2]`

// maxItemText is the maximum number of characters of a text that SpaceContent returns.
const maxItemText = 2000

// itemText returns an expression for a field of entity_data that is a text; NULL for a field
// of another kind.
func itemText(field string) string {
	return fmt.Sprintf(`CASE jsonb_typeof(data->'%[1]s') WHEN 'string' THEN nullif(left(data->>'%[1]s', %[2]d), '') END`,
		field, maxItemText)
}

// spaceContent selects the name of an owner, and up to a number of entities of a space with
// their files. It returns one row without an entity if the space is empty. Like
// entitiesOfSpace, it reads a limited number of bytes of entity_data.
var spaceContent = `SELECT u.name AS owner_name, ` + namesOfSpace("?", "u.id") + `, e.entity_id, e.type, e.title, e.glb_url, e.link, e.hidden, e.embedded, e.next IS NOT NULL AS more,
		f.resource_key, f.user_id, f.name, f.size, f.objects, f.created_at, f.facts, f.poster_key, f.posters, f.view_key
	FROM users AS u LEFT JOIN LATERAL (
		SELECT entity_id, type, sequence, next,
			coalesce(` + itemText("displayName") + `, ` + itemText("title") + `, ` + itemText("name") + `) AS title,
			` + itemText("glbUrl") + ` AS glb_url, ` + itemText("link") + ` AS link,
			data->'hidden' = 'true' OR data->'dynamicGate'->'hidden' = 'true' AS hidden,
			coalesce(data->'embeddedEnabled' = 'true', false) AS embedded,
			` + uploadOfEntity + ` AS upload_id
		FROM (
			SELECT *, sum(bytes) OVER page AS page_bytes, lead(sequence) OVER page AS next, row_number() OVER page AS place
			FROM entities WHERE space_id = ? AND ` + listedEntity + `
			WINDOW page AS (ORDER BY sequence ROWS UNBOUNDED PRECEDING) ORDER BY sequence LIMIT ?
		) AS counted WHERE page_bytes <= ? OR place = 1
	) AS e ON true
	LEFT JOIN files AS f ON f.upload_id = e.upload_id AND f.user_id = u.id
	WHERE u.id = ? ORDER BY e.sequence`

// contentRow is a row of spaceContent. Its fields are zero where the row has no entity, or
// the entity no file.
type contentRow struct {
	OwnerName   string
	Handle      string
	Slug        string
	EntityID    string
	Type        string
	Title       string
	GLBURL      string `bun:"glb_url"`
	Link        string
	Hidden      bool
	Embedded    bool
	More        bool
	ResourceKey string
	UserID      string
	Name        string
	Size        int64
	Objects     int
	CreatedAt   model.Time
	Facts       *model.FileFacts `bun:"type:jsonb"`
	PosterKey   string
	Posters     *model.Posters `bun:"type:jsonb"`
	ViewKey     string
}

// item returns the entity of the row.
func (r *contentRow) item() *model.SpaceItem {
	item := &model.SpaceItem{
		EntityID: r.EntityID, Type: r.Type, Title: r.Title, GLBURL: r.GLBURL, Link: r.Link, Hidden: r.Hidden,
		Embedded: r.Embedded,
	}
	if r.ResourceKey != "" {
		item.File = &model.File{
			ResourceKey: r.ResourceKey, UserID: r.UserID, Name: r.Name, Size: r.Size, Objects: r.Objects, CreatedAt: r.CreatedAt, Facts: r.Facts,
			PosterKey: r.PosterKey, Posters: r.Posters, ViewKey: r.ViewKey,
		}
	}
	return item
}

// SpaceContent returns the owner's name and up to limit entities of the space, in the order
// of their creation, without RoomInfo.
//
// It is one round trip for a page that everybody may open: owner, entities and files. Of the JSON
// it returns a few fields, so a page with large entities stays small.
func (db Spaces) SpaceContent(ctx context.Context, space *model.Space, limit int) (*model.SpaceContent, error) {
	var rows []contentRow
	err := db.idb.NewRaw(spaceContent, space.ID, space.ID, limit, model.MaxPageBytes, space.OwnerID).Scan(ctx, &rows)
	if err != nil {
		return nil, translate(err)
	}
	if len(rows) == 0 { // the account was deleted since the space was read
		return nil, model.NotFound(model.SpaceNotFound)
	}
	content := &model.SpaceContent{
		OwnerName: rows[0].OwnerName, Named: model.Named{Handle: rows[0].Handle, Slug: rows[0].Slug}, More: rows[len(rows)-1].More,
	}
	for i := range rows {
		if rows[i].EntityID != "" {
			content.Items = append(content.Items, rows[i].item())
		}
	}
	return content, nil
}

// maxCoverEntities is how many entities of a space are searched for a poster.
const maxCoverEntities = 50

// coverColumns and coverJoins select the owner and the first poster of spaces s.
const (
	coverColumns = "s.id AS space_id, s.owner_id, u.name AS owner_name, poster.poster_key, poster.posters"

	coverJoins = `LEFT JOIN LATERAL (
			SELECT f.poster_key, f.posters FROM (
				SELECT sequence, ` + uploadOfEntity + ` AS upload_id FROM (
					SELECT sequence, data FROM entities WHERE space_id = s.id AND ` + listedEntity + ` ORDER BY sequence LIMIT ?
				) AS first
			) AS e JOIN files AS f ON f.upload_id = e.upload_id AND f.user_id = s.owner_id
			WHERE f.poster_key IS NOT NULL ORDER BY e.sequence LIMIT 1
		) AS poster ON true`
)

// Covers returns the covers of the spaces with these ids that exist, by the id of the space.
//
// A space whose first file with a poster stands behind maxCoverEntities entities has no cover. The
// limit keeps a page of a gallery from reading all entities of fifty spaces.
func (db Spaces) Covers(ctx context.Context, spaceIDs []string) (map[string]model.Cover, error) {
	var found []model.Cover
	err := db.idb.NewRaw("SELECT "+coverColumns+" FROM spaces AS s JOIN users AS u ON u.id = s.owner_id "+coverJoins+
		" WHERE s.id = ANY(?::text[])", maxCoverEntities, pgdialect.Array(spaceIDs)).Scan(ctx, &found)
	covers := make(map[string]model.Cover, len(found))
	for _, cover := range found {
		covers[cover.SpaceID] = cover
	}
	return covers, translate(err)
}

// ProfileWithCovers returns an account as the viewer sees it, and the covers of these spaces,
// in one statement. Spaces of other accounts get no cover.
func (db Spaces) ProfileWithCovers(ctx context.Context, userID, viewerID string, spaceIDs []string) (*model.Profile, map[string]model.Cover, error) {
	var rows []struct {
		model.Cover `bun:"embed:"`
		ID          string
		Name        string
		Handle      string
		PictureKey  string
		Followed    bool
	}
	err := db.idb.NewRaw(`SELECT u.id, u.name, (SELECT storage_key FROM account_pictures WHERE user_id = u.id) AS picture_key,
			`+handleOf("u.id")+", "+followedByViewer+", "+coverColumns+" FROM users AS u LEFT JOIN spaces AS s ON s."+ownedBy("u.id")+" AND s.id = ANY(?::text[]) "+coverJoins+
		" WHERE u.id = ?", viewerID, pgdialect.Array(spaceIDs), maxCoverEntities, userID).Scan(ctx, &rows)
	if err != nil {
		return nil, nil, translate(err)
	}
	if len(rows) == 0 {
		return nil, nil, model.NotFound(model.UserNotFound)
	}
	covers := make(map[string]model.Cover, len(rows))
	for _, row := range rows {
		covers[row.SpaceID] = row.Cover
	}
	return &model.Profile{ID: rows[0].ID, Name: rows[0].Name, Handle: rows[0].Handle, PictureKey: rows[0].PictureKey, Followed: rows[0].Followed}, covers, nil
}

// SpaceFiles returns the plugins and assets of the space, by path.
func (db Spaces) SpaceFiles(ctx context.Context, spaceID string) ([]*model.SpaceFile, error) {
	var files []*model.SpaceFile
	err := db.idb.NewSelect().Model(&files).Where("space_id = ?", spaceID).Order("path").Scan(ctx)
	return files, translate(err)
}

// PutSpaceFile stores which file has the path. A file that was deleted meanwhile is not found.
func (db Spaces) PutSpaceFile(ctx context.Context, file *model.SpaceFile) error {
	_, err := db.idb.NewInsert().Model(file).On("CONFLICT (space_id, path) DO UPDATE").
		Set("resource_key = EXCLUDED.resource_key, sha256 = EXCLUDED.sha256").Exec(ctx)
	return translate(err)
}

// DeleteSpaceFile removes the file from the space. It is not an error if the space has no such
// file.
func (db Spaces) DeleteSpaceFile(ctx context.Context, spaceID, path string) error {
	_, err := db.idb.NewDelete().Model((*model.SpaceFile)(nil)).Where("space_id = ? AND path = ?", spaceID, path).Exec(ctx)
	return translate(err)
}

// maxShowingSpaces is the maximum number of spaces that a ShownFile names.
const maxShowingSpaces = 20

// ShownFile is a file that spaces of its owner show.
type ShownFile struct {
	ID       string
	SpaceIDs []string `bun:"space_ids,array"` // of at most maxShowingSpaces readable spaces that show it
	// LinkedIDs are the ids of at most maxShowingSpaces spaces that show the file and have, or have had,
	// a share link.
	LinkedIDs []string `bun:"linked_ids,array"`
}

// hasLink is the condition that a space has, or has had, a share link. With LIMIT it is looked up for
// each space; for EXISTS, Postgres may read all links of all accounts first.
const hasLink = "coalesce((SELECT true FROM share_links AS l WHERE l.space_id = spaces.id LIMIT 1), false)"

// ShownFiles returns the files that the Public and Link Only spaces of the user show, and the spaces
// with share links: each file that an entity or a space refers to by an address or a resource key, in
// any field. With onlyLinked it leaves out spaces that have never had a share link.
//
// It scans the JSON of all readable spaces of one account, so callers cache the response
// (graph.ShownFiles).
func (db Spaces) ShownFiles(ctx context.Context, userID string, onlyLinked bool) ([]ShownFile, error) {
	var files []ShownFile
	which := "(" + readable + " OR " + hasLink + ")"
	if onlyLinked {
		which = hasLink
	}
	err := db.idb.NewRaw(`
		WITH shown AS (SELECT id, data, `+readable+` AS readable, `+hasLink+` AS linked FROM spaces WHERE `+ownedBy("?")+` AND `+which+`)
		SELECT found.id[1] AS id,
			coalesce((array_agg(DISTINCT space_id) FILTER (WHERE readable))[1:?], '{}') AS space_ids,
			coalesce((array_agg(DISTINCT space_id) FILTER (WHERE linked))[1:?], '{}') AS linked_ids FROM (
			SELECT id AS space_id, readable, linked, data::text AS kept FROM shown
			UNION ALL
			SELECT e.space_id, readable, linked, e.data::text || e.state::text FROM shown JOIN entities AS e ON e.space_id = shown.id
		) AS texts, regexp_matches(kept, '(?:api_uploads|derived)/([a-z0-9]+)', 'g') AS found(id)
		GROUP BY found.id[1]`, userID, maxShowingSpaces, maxShowingSpaces).Scan(ctx, &files)
	return files, translate(err)
}

// AnyReadable reports whether at least one of the spaces exists and is not Private.
func (db Spaces) AnyReadable(ctx context.Context, spaceIDs []string) (bool, error) {
	var found bool
	err := db.idb.NewRaw("SELECT EXISTS (SELECT FROM spaces WHERE id = ANY(?::text[]) AND "+readable+")", pgdialect.Array(spaceIDs)).
		Scan(ctx, &found)
	return found, translate(err)
}

// SitemapParts divides the Public spaces, in the order of their creation, into parts of this
// size, and returns the sequence number of the first space of each part.
func (db Spaces) SitemapParts(ctx context.Context, size int) ([]int64, error) {
	var starts []int64
	err := db.idb.NewRaw(`
		SELECT sequence FROM (
			SELECT sequence, row_number() OVER (ORDER BY sequence) - 1 AS place FROM spaces WHERE `+public+`
		) AS listed WHERE place % ? = 0 ORDER BY sequence`, size).Scan(ctx, &starts)
	return starts, translate(err)
}

// SitemapPage returns up to limit Public spaces from a sequence number on, in the order of
// their creation.
func (db Spaces) SitemapPage(ctx context.Context, from int64, limit int) ([]model.PublicSpace, error) {
	var found []model.PublicSpace
	err := db.idb.NewRaw("SELECT id, sequence, changed_at, "+namesOfSpace("spaces.id", "spaces.owner_id")+" FROM spaces WHERE "+public+" AND sequence >= ? ORDER BY sequence LIMIT ?",
		from, limit).Scan(ctx, &found)
	return found, translate(err)
}

// UpdateSpacePrivacy is UpdateSpace for an update that sets the privacy. It records a change of the
// privacy as a security event. With informFollowers it also notifies the owner's followers when the
// space becomes Public, and not when it was Public before.
//
// The lock lets only one of two simultaneous requests find that the privacy changes.
func (db Spaces) UpdateSpacePrivacy(ctx context.Context, in model.UpdateSpace, informFollowers bool) (space *model.Space, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		before, err := tx.Spaces().SpaceForUpdate(ctx, in.SpaceID)
		if err != nil {
			return err
		}
		if space, err = tx.Spaces().UpdateSpace(ctx, in); err != nil || before.Privacy == space.Privacy {
			return err
		}
		event := model.NewSecurityEvent(ctx, model.EventPrivacyChanged, space.OwnerID).WithSubject(space.ID, space.Title).
			WithChanges(model.SecurityEventChange{Field: model.PrivacyField, Before: string(before.Privacy), After: string(space.Privacy)})
		err = tx.Audit().AddSecurityEvent(ctx, event)
		if err != nil || !informFollowers || space.Privacy != model.Public {
			return err
		}
		return tx.Notifications().NotifyFollowers(ctx, space)
	})
	if err != nil {
		return nil, err
	}
	return space, nil
}

// readAt selects Space.ReadAt. Every statement that returns whole spaces selects it, because
// Space.Lock needs it.
const readAt = "now() AS read_at"

// AcquireSpaceLock locks the space for an editor, or renews the lock that has the token. It returns
// nil if another editor holds the lock.
//
// It is one statement: of two editors that ask at the same time, the second waits for the row and
// then finds the lock of the first.
func (db Spaces) AcquireSpaceLock(ctx context.Context, in model.LockSpace, token string) (*model.Space, error) {
	return db.changeLock(ctx, db.idb.NewUpdate().
		Set("lock_name = ?, lock_token = ?", in.Holder(), token).
		Set("locked_until = date_trunc('milliseconds', now() + ?::interval)", milliseconds(in.Duration())).
		Where("s.id = ? AND "+notLockedByAnother("?"), in.SpaceID, token))
}

// ReleaseSpaceLock releases the lock that has the token, or any lock if force is true. It returns
// nil if another editor holds the lock.
//
// LockedUntil becomes the time of the release. By it, access.TryAsEditor knows that a statement may
// have found the space locked, although the space has no lock when it is read after the statement.
func (db Spaces) ReleaseSpaceLock(ctx context.Context, spaceID, token string, force bool) (*model.Space, error) {
	return db.changeLock(ctx, db.idb.NewUpdate().
		Set("lock_name = NULL, lock_token = NULL, locked_until = date_trunc('milliseconds', now())").
		Where("s.id = ? AND ("+notLockedByAnother("?")+" OR ?)", spaceID, token, force))
}

// changeLock runs an update of a space and announces it. The version of the space stays: its
// own fields did not change.
func (db Spaces) changeLock(ctx context.Context, update *bun.UpdateQuery) (*model.Space, error) {
	var spaces []*model.Space
	err := update.Model((*model.Space)(nil)).ModelTableExpr("spaces AS s").Returning("*, "+readAt).Scan(ctx, &spaces)
	if err != nil || len(spaces) == 0 {
		return nil, translate(err)
	}
	db.Announce(SpaceTopic(spaces[0].ID))
	return spaces[0], nil
}

// visitWindow is how long reads of a space by one viewer count as one visit, from the read
// that was counted.
const visitWindow = "interval '30 minutes'"

// Visit returns the space, and counts a visit unless one by the same viewer was counted in
// the last half hour; of two concurrent reads, one counts. viewer is any kind of id. A
// visit does not change the space: ChangedAt stays, and subscriptions do not report it.
//
// It is one round trip for the read and the count. The primary key of visits decides which of two
// concurrent reads counts.
func (db Spaces) Visit(ctx context.Context, spaceID, viewer string) (*model.Space, error) {
	space := new(model.Space)
	// The parts of the statement see the same snapshot, so they pass on rows by RETURNING.
	// A repeated read writes nothing. The row of the space is locked before the row of the day,
	// as by the deletion of a space. A visit of a space that another transaction deletes is not
	// counted: its foreign key would wait for the deletion, and then fail the read.
	err := db.idb.NewRaw(`
		WITH visit AS (
			INSERT INTO visits (space_id, viewer) SELECT s.id, ?0 FROM spaces AS s
			WHERE s.id = ?1 AND NOT EXISTS (SELECT FROM visits AS v
				WHERE v.space_id = s.id AND v.viewer = ?0 AND v.counted_at > now() - `+visitWindow+`)
			FOR KEY SHARE OF s SKIP LOCKED
			ON CONFLICT (space_id, viewer) DO UPDATE SET counted_at = now()
				WHERE visits.counted_at <= now() - `+visitWindow+`
			RETURNING space_id
		), counted AS (
			UPDATE spaces SET visit_count = visit_count + 1
			WHERE id IN (SELECT space_id FROM visit) RETURNING *
		), daily AS (
			INSERT INTO daily_statistics (space_id, day, kind, count)
			SELECT id, (now() AT TIME ZONE 'UTC')::date, 'visit', 1 FROM counted
			ON CONFLICT (space_id, day, kind, name) DO UPDATE SET count = daily_statistics.count + 1
		)
		SELECT *, `+readAt+` FROM counted
		UNION ALL
		SELECT *, `+readAt+` FROM spaces WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM counted)`,
		viewer, spaceID).Scan(ctx, space)
	return space, translateNotFound(err, model.SpaceNotFound)
}

// PurgeVisits deletes up to limit visits that are older than visitWindow, and returns how
// many.
func (db Spaces) PurgeVisits(ctx context.Context, limit int) (int, error) {
	result, err := db.idb.ExecContext(ctx, `
		DELETE FROM visits WHERE (space_id, viewer) IN (
			SELECT space_id, viewer FROM visits WHERE counted_at <= now() - `+visitWindow+`
			ORDER BY counted_at LIMIT ? FOR UPDATE SKIP LOCKED)`, limit)
	if err != nil {
		return 0, translate(err)
	}
	n, err := result.RowsAffected()
	return int(n), err
}
