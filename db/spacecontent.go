package db

import (
	"context"
	"fmt"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

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
var spaceContent = `SELECT u.name AS owner_name, e.entity_id, e.type, e.title, e.glb_url, e.link, e.hidden, e.embedded, e.next IS NOT NULL AS more,
		f.resource_key, f.user_id, f.name, f.objects, f.facts, f.poster_key, f.posters, f.view_key
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
	Objects     int
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
			ResourceKey: r.ResourceKey, UserID: r.UserID, Name: r.Name, Objects: r.Objects, Facts: r.Facts,
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
func (db *DB) SpaceContent(ctx context.Context, space *model.Space, limit int) (*model.SpaceContent, error) {
	var rows []contentRow
	err := db.idb.NewRaw(spaceContent, space.ID, limit, model.MaxPageBytes, space.OwnerID).Scan(ctx, &rows)
	if err != nil {
		return nil, translate(err)
	}
	if len(rows) == 0 { // the account was deleted since the space was read
		return nil, model.NotFound(model.SpaceNotFound)
	}
	content := &model.SpaceContent{OwnerName: rows[0].OwnerName, More: rows[len(rows)-1].More}
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
func (db *DB) Covers(ctx context.Context, spaceIDs []string) (map[string]model.Cover, error) {
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
func (db *DB) ProfileWithCovers(ctx context.Context, userID, viewerID string, spaceIDs []string) (*model.Profile, map[string]model.Cover, error) {
	var rows []struct {
		model.Cover `bun:"embed:"`
		ID          string
		Name        string
		PictureKey  string
		Followed    bool
	}
	err := db.idb.NewRaw(`SELECT u.id, u.name, (SELECT storage_key FROM account_pictures WHERE user_id = u.id) AS picture_key,
			`+followedByViewer+", "+coverColumns+" FROM users AS u LEFT JOIN spaces AS s ON s."+ownedBy("u.id")+" AND s.id = ANY(?::text[]) "+coverJoins+
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
	return &model.Profile{ID: rows[0].ID, Name: rows[0].Name, PictureKey: rows[0].PictureKey, Followed: rows[0].Followed}, covers, nil
}
