package db

import (
	"context"

	"portico/model"
)

// SpaceFiles returns the plugins and assets of the space, by path.
func (db *DB) SpaceFiles(ctx context.Context, spaceID string) ([]*model.SpaceFile, error) {
	var files []*model.SpaceFile
	err := db.idb.NewSelect().Model(&files).Where("space_id = ?", spaceID).Order("path").Scan(ctx)
	return files, translate(err)
}

// PutSpaceFile stores which file has the path. A file that was deleted meanwhile is not found.
func (db *DB) PutSpaceFile(ctx context.Context, file *model.SpaceFile) error {
	_, err := db.idb.NewInsert().Model(file).On("CONFLICT (space_id, path) DO UPDATE").
		Set("resource_key = EXCLUDED.resource_key, sha256 = EXCLUDED.sha256").Exec(ctx)
	return translate(err)
}

// DeleteSpaceFile removes the file from the space. It is not an error if the space has no such
// file.
func (db *DB) DeleteSpaceFile(ctx context.Context, spaceID, path string) error {
	_, err := db.idb.NewDelete().Model((*model.SpaceFile)(nil)).Where("space_id = ? AND path = ?", spaceID, path).Exec(ctx)
	return translate(err)
}
