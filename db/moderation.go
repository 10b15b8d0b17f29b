package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// moderated selects all spaces, with what operators see of them.
//
// Private spaces of accounts are none of the operators' business: ModeratedSpaces leaves them out
// unless somebody has reported them, which means that they were readable.
const moderated = `(SELECT s.id, s.owner_id, u.name AS owner_name, u.email AS owner_email, s.sequence, s.title, s.privacy,
	s.visit_count, s.created_at, (SELECT count(*) FROM reports AS r WHERE r.space_id = s.id AND closed_at IS NULL) AS open_reports,
	t.created_at AS taken_down_at, coalesce(t.reason, '') AS takedown_reason, coalesce(t.text, '') AS takedown_text
	FROM spaces AS s JOIN users AS u ON u.id = s.owner_id LEFT JOIN takedowns AS t ON t.space_id = s.id) AS moderated`

// ModeratedSpaces returns a page of the spaces that operators moderate, newest first.
func (db *DB) ModeratedSpaces(ctx context.Context, filter model.ModerationFilter, page model.Page) (*model.ModeratedSpaceConnection, error) {
	spaces := listing{table: moderated, newest: true, where: "(" + readable + " OR taken_down_at IS NOT NULL OR open_reports > 0)"}
	if filter.Reported != nil {
		spaces.addCondition("(open_reports > 0) = ?", *filter.Reported)
	}
	if filter.TakenDown != nil {
		spaces.addCondition("(taken_down_at IS NOT NULL) = ?", *filter.TakenDown)
	}
	if filter.Search != "" {
		spaces.addCondition("(title ILIKE ? OR id = ? OR "+ownedBy("?")+")", "%"+likeEscaper.Replace(filter.Search)+"%", filter.Search, filter.Search)
	}
	found, err := list[model.ModeratedSpace](ctx, db, spaces, page)
	if err != nil {
		return nil, err
	}
	return (*model.ModeratedSpaceConnection)(found), db.addReports(ctx, found.Nodes)
}

// ModeratedSpace returns the space with this id, as operators see it.
func (db *DB) ModeratedSpace(ctx context.Context, id string) (*model.ModeratedSpace, error) {
	space := new(model.ModeratedSpace)
	if err := db.idb.NewRaw("SELECT * FROM "+moderated+" WHERE id = ?", id).Scan(ctx, space); err != nil {
		return nil, translateNotFound(err, model.SpaceNotFound)
	}
	return space, db.addReports(ctx, []*model.ModeratedSpace{space})
}

// maxShownReports is the maximum number of open reports of a space that operators see.
const maxShownReports = 20

// addReports sets the latest open reports of the spaces, with one statement.
//
// LATERAL reads the index reports_open for each space, so a space with many reports costs no more
// than maxShownReports rows.
func (db *DB) addReports(ctx context.Context, spaces []*model.ModeratedSpace) error {
	byID := make(map[string]*model.ModeratedSpace, len(spaces))
	var ids []string
	for _, space := range spaces {
		byID[space.ID], space.Reports = space, []*model.Report{}
		if space.OpenReports > 0 {
			ids = append(ids, space.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var reports []*model.Report
	err := db.idb.NewRaw(`
		SELECT r.id, sequence, space_id, reason, text, created_at FROM unnest(?::text[]) AS of (id), LATERAL (
			SELECT * FROM reports WHERE space_id = of.id AND closed_at IS NULL ORDER BY sequence DESC LIMIT ?) AS r
		ORDER BY sequence DESC`, pgdialect.Array(ids), maxShownReports).Scan(ctx, &reports)
	for _, report := range reports {
		space := byID[report.SpaceID]
		space.Reports = append(space.Reports, report)
	}
	return translate(err)
}
