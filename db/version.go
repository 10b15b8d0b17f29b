package db

import (
	"context"

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
//
// The bytes of a version are stored but not read here: only the quota counts them.
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

// NameVersion stores the name of a version and returns the version, or model.VersionNotFound.
func (db *DB) NameVersion(ctx context.Context, in model.NameVersion) (*model.SpaceVersion, error) {
	row := new(versionRow)
	err := db.idb.NewRaw("UPDATE space_versions SET name = ? WHERE space_id = ? AND sequence = ? RETURNING *",
		in.Name, in.SpaceID, in.Number).Scan(ctx, row)
	if err != nil {
		return nil, translateNotFound(err, model.VersionNotFound)
	}
	return row.version(), nil
}

// VersionBounds returns the numbers of the oldest and the newest version; 0 and 0 for none.
func (db *DB) VersionBounds(ctx context.Context, spaceID string) (oldest, newest int, err error) {
	err = db.idb.NewRaw("SELECT coalesce(min(sequence), 0), coalesce(max(sequence), 0) FROM space_versions WHERE space_id = ?",
		spaceID).Scan(ctx, &oldest, &newest)
	return oldest, newest, translate(err)
}
