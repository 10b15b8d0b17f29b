package db

import (
	"context"
	"math"

	"portico/model"
)

// PresentState is the number of the present state of a space, as a version.
const PresentState = math.MaxInt64

// comparedVersions selects how the state after version ?2 differs from the state after version
// ?1. The state after a version is what the first later change of each target replaced; what
// no later change replaced is there now.
//
// The parts of the statement:
//
//	log        what each later version replaced, and what is not recorded yet, as version ?3
//	earlier    the first record of each target after ?1: its state after version ?1
//	later      the first record of each target after ?2: its state after version ?2
//	compared   both states; without a later record the present row is the second
//	different  the targets whose states differ, numbered, with the bytes of both
const comparedVersions = `
	WITH log AS (
		SELECT version, 0::bigint AS place, target, type, before FROM version_changes WHERE space_id = ?0 AND version > ?1
		UNION ALL
		SELECT ?3::bigint, sequence, target, type, before FROM changes WHERE space_id = ?0 AND NOT repeated
	), earlier AS (
		SELECT DISTINCT ON (target) * FROM log ORDER BY target, version, place
	), later AS (
		SELECT DISTINCT ON (target) * FROM log WHERE version > ?2 ORDER BY target, version, place
	), compared AS (
		SELECT e.target, e.type AS before_type, e.before, coalesce(l.type, n.type) AS after_type, coalesce(l.before, n.data) AS after
		FROM earlier AS e LEFT JOIN later AS l USING (target) LEFT JOIN LATERAL (
			SELECT type, data FROM entities WHERE space_id = ?0 AND entity_id = e.target
			UNION ALL
			SELECT 'space', space_settings(s) FROM spaces AS s WHERE e.target = '' AND id = ?0
			UNION ALL
			SELECT 'file', jsonb_build_object('resourceKey', resource_key, 'sha256', sha256)
			FROM space_files WHERE space_id = ?0 AND path = e.target
		) AS n ON l.target IS NULL
		WHERE e.version <= ?2
	), different AS (
		SELECT row_number() OVER (ORDER BY target) AS sequence, count(*) OVER () AS total, *,
			coalesce(octet_length(before::text), 0) + coalesce(octet_length(after::text), 0) AS size
		FROM compared WHERE (before_type, before, after_type, after) IS DISTINCT FROM (after_type, after, before_type, before)
	)`

// SpaceChanges returns a page of how the state after version to differs from the state after
// version from, in the order of the targets.
//
// It reads the history of one space whole: model.HistoryLimits bounds it.
func (db *DB) SpaceChanges(ctx context.Context, spaceID string, from, to int, page model.Page) (*model.SpaceChangeConnection, error) {
	direction := "ASC"
	if page.Backward {
		direction = "DESC"
	}
	var rows []*changeWithTotal
	err := db.idb.NewRaw(comparedVersions+`
		SELECT p.* FROM (
			SELECT *, sum(size) OVER reading AS read, row_number() OVER reading AS place FROM different
			WHERE sequence > ?4 AND (?5 = 0 OR sequence < ?5) WINDOW reading AS (ORDER BY sequence `+direction+`)
		) AS p WHERE place <= ?6 AND (read <= ?7 OR place = 1) ORDER BY sequence`,
		spaceID, from, to, int64(PresentState), page.After, page.Before, page.Limit, model.MaxPageBytes).Scan(ctx, &rows)
	if err != nil {
		return nil, translate(err)
	}
	if len(rows) == 0 {
		var total int
		err := db.idb.NewRaw(comparedVersions+" SELECT count(*) FROM different", spaceID, from, to, int64(PresentState)).Scan(ctx, &total)
		return (*model.SpaceChangeConnection)(emptyPage[*model.SpaceChange](page, total)), translate(err)
	}
	return changePage(rows, page), nil
}

// changeWithTotal is a row of the list. Total, the length of the whole list, is in every row.
type changeWithTotal struct {
	model.SpaceChange
	Total int
}

// changePage returns the page with the rows. The sequence of a change is its place in the list.
func changePage(rows []*changeWithTotal, page model.Page) *model.SpaceChangeConnection {
	changes := make([]*model.SpaceChange, len(rows))
	for i := range rows {
		changes[i] = &rows[i].SpaceChange
	}
	total := rows[0].Total
	before, after := changes[0].Sequence > 1, changes[len(changes)-1].Sequence < int64(total)
	if page.Backward {
		before, after = after, before
	}
	return (*model.SpaceChangeConnection)(model.NewOrderedPage(changes, page, after, before, total))
}
