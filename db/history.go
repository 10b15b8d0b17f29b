package db

import (
	"context"
	"encoding/json"
	"math"

	"github.com/uptrace/bun"

	"portico/model"
)

// Versions returns a page of the space's versions, newest first.
func (db *DB) Versions(ctx context.Context, spaceID string, page model.Page) (*model.SpaceVersionConnection, error) {
	rows := listing{table: "space_versions", newest: true, where: "space_id = ?", args: []any{spaceID}}
	found, err := list[versionRow](ctx, db, rows, page)
	if err != nil {
		return nil, err
	}
	versions := &model.SpaceVersionConnection{PageInfo: found.PageInfo, TotalCount: found.TotalCount, Order: found.Order}
	for _, row := range found.Nodes {
		versions.Nodes = append(versions.Nodes, row.version())
	}
	return versions, nil
}

// versionRow is a row of space_versions.
type versionRow struct {
	bun.BaseModel `bun:"space_versions"`
	model.SpaceVersion
	Origin string
}

// version returns the version, with the fields that are stored in its origin.
func (r *versionRow) version() *model.SpaceVersion {
	version, restored := &r.SpaceVersion, 0
	version.Door, version.UserID, version.IsChangeSet, restored = parseOrigin(r.Origin)
	if restored > 0 {
		version.RestoredNumber = &restored
	}
	return version
}

// NameVersion stores the name of a version and returns the version.
func (db *DB) NameVersion(ctx context.Context, in model.NameVersion) (*model.SpaceVersion, error) {
	row := new(versionRow)
	err := db.idb.NewRaw("UPDATE space_versions SET name = ? WHERE space_id = ? AND sequence = ? RETURNING *",
		in.Name, in.SpaceID, in.Number).Scan(ctx, row)
	if err != nil {
		return nil, oneRow(err, model.VersionNotFound)
	}
	return row.version(), nil
}

// VersionBounds returns the numbers of the oldest and the newest version; 0 and 0 for none.
func (db *DB) VersionBounds(ctx context.Context, spaceID string) (oldest, newest int, err error) {
	err = db.idb.NewRaw("SELECT coalesce(min(sequence), 0), coalesce(max(sequence), 0) FROM space_versions WHERE space_id = ?",
		spaceID).Scan(ctx, &oldest, &newest)
	return oldest, newest, translate(err)
}

// PresentState is the number of the present state of a space, as a version.
const PresentState = math.MaxInt64

// comparedVersions selects how the state after version ?2 differs from the state after version
// ?1. The state after a version is what the first later change of each target replaced; what
// no later change replaced is there now.
const comparedVersions = `
	WITH log AS (
		SELECT version, 0::bigint AS place, target, type, before FROM version_changes WHERE space_id = ?0 AND version > ?1
		UNION ALL
		SELECT ?3::bigint, sequence, target, type, before FROM changes WHERE space_id = ?0
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
func (db *DB) SpaceChanges(ctx context.Context, spaceID string, from, to int, page model.Page) (*model.SpaceChangeConnection, error) {
	direction := "ASC"
	if page.Backward {
		direction = "DESC"
	}
	var rows []*countedChange
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

// countedChange is a change with the number of all changes.
type countedChange struct {
	model.SpaceChange
	Total int
}

// changePage returns the page with the rows. The sequence of a change is its place in the list.
func changePage(rows []*countedChange, page model.Page) *model.SpaceChangeConnection {
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

// ChangesSince returns all differences between the state after a version and now. It refuses
// more than maxBytes of JSON before it reads them.
func (db *DB) ChangesSince(ctx context.Context, spaceID string, from int, maxBytes int64) ([]*model.SpaceChange, error) {
	var size int64
	args := []any{spaceID, from, int64(PresentState) - 1, int64(PresentState) - 1} // what is not recorded yet, too
	err := db.idb.NewRaw(comparedVersions+" SELECT coalesce(sum(size), 0)::bigint FROM different", args...).Scan(ctx, &size)
	if err != nil {
		return nil, translate(err)
	}
	if size > maxBytes {
		return nil, model.TooLargef("The versions differ by more than %d bytes", maxBytes)
	}
	var changes []*model.SpaceChange
	err = db.idb.NewRaw(comparedVersions+" SELECT * FROM different ORDER BY sequence", args...).Scan(ctx, &changes)
	return changes, translate(err)
}

// RestoreSettings sets the title, the description and the fields of the space to the values in
// settings. It does not change the privacy.
func (db *DB) RestoreSettings(ctx context.Context, spaceID string, settings model.Object) error {
	var before struct {
		Title, Description string
		Data               model.Object
	}
	if err := json.Unmarshal(settings, &before); err != nil {
		return err
	}
	now := model.Now()
	_, err := db.idb.NewUpdate().Model((*model.Space)(nil)).Where("id = ?", spaceID).Where(setOrigin, db.originOf(ctx)).
		Set("title = ?", before.Title).Set("description = ?", before.Description).Set("data = ?::jsonb", before.Data).
		Set("changed_at = ?", now).Set("touched_at = greatest(touched_at, ?)", now).Set("version = version + 1").Exec(ctx)
	db.touch(spaceID)
	return translate(err)
}

// RestoreSpaceFile gives the path the file that it had, and reports whether the file is still
// there. It is locked until the transaction ends.
func (db *DB) RestoreSpaceFile(ctx context.Context, spaceID, path string, before model.Object) (bool, error) {
	result, err := db.idb.NewRaw(`
		INSERT INTO space_files (space_id, path, resource_key, sha256)
		SELECT ?0, ?1, resource_key, ?2::jsonb->>'sha256' FROM files
		WHERE resource_key = ?2::jsonb->>'resourceKey' AND user_id = split_part(?0, '_', 1) FOR KEY SHARE
		ON CONFLICT (space_id, path) DO UPDATE SET resource_key = EXCLUDED.resource_key, sha256 = EXCLUDED.sha256`,
		spaceID, path, before).Exec(ctx)
	return changed(result, err)
}
