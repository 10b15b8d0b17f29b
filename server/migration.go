package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"portico/db/migrations"
	"portico/internal/freespace"
	"portico/server/backup"
)

// migrationBackup is the folder, in the data folder, of the backup of the database before the last
// migration.
const migrationBackup = "before-migration"

// prepareMigration says what a migration of tables that exist takes, checks that the disk has room for
// it, and backs up a private Postgres, whose operator may have no other copy. Nothing has changed yet,
// so the older version can go on after an error.
//
// Files are not in the backup: a migration does not change them.
func (p *Program) prepareMigration(ctx context.Context, owner string, plan migrations.Plan) error {
	isPrivate := p.clusterFolder != ""
	backsUp := isPrivate && p.Config.MigrateBackup.On()
	needed := 2 * plan.Bytes
	if backsUp {
		needed += plan.DatabaseBytes
	}
	p.Logger.Info("the tables are of an older version and are migrated now", "migrations", plan.Files,
		"bytes", plan.Bytes, "about", plan.Duration, "free_bytes_needed", needed)
	if isPrivate {
		for _, folder := range []string{p.clusterFolder, p.Config.DataDir} {
			if err := checkFree(folder, needed); err != nil {
				return err
			}
		}
	}
	if !backsUp {
		return nil
	}
	folder := filepath.Join(p.Config.DataDir, migrationBackup)
	result, err := backup.Write(ctx, backup.Options{
		Folder: folder, Database: owner, Secret: p.secret, Version: Version(), Logger: p.Logger,
	})
	if err != nil {
		return fmt.Errorf("back up the database before its migration (PORTICO_MIGRATE_BACKUP=off does not): %w", err)
	}
	p.Logger.Info("backed up the database before its migration", "folder", folder, "rows", result.Rows)
	return nil
}

// checkFree returns an error unless the disk of a folder has this room.
func checkFree(folder string, needed int64) error {
	file, err := os.Open(folder)
	if err != nil {
		return err
	}
	free, err := freespace.Available(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	if free < needed {
		return fmt.Errorf("the migration needs up to %d MB on the disk of %s, and %d MB are free. Make room and start again: "+
			"nothing has changed, and the older version still works", needed>>20+1, folder, max(0, free)>>20)
	}
	return nil
}
