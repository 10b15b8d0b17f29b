package main

import (
	"context"
	"path"
	"strings"

	"github.com/jackc/pgx/v5"
)

// fileRow is a file in the database. pgx finds the fields by the names of the columns.
//
// Keys are relative to the account, except UserID and UploadID, which are ids. Size and
// DerivedBytes are in bytes.
type fileRow struct {
	UserID, ResourceKey, UploadID, UploadKey string
	Size, DerivedBytes                       int64
	Objects                                  int
	PosterKey, ViewKey, CollisionKey         string
	Inspected                                bool
}

// root returns the folder of the file's objects, or "" if the file is a single object.
func (r fileRow) root() string {
	if r.ResourceKey == r.UploadKey {
		return ""
	}
	return r.UserID + "/" + strings.TrimSuffix(r.UploadKey, path.Ext(r.UploadKey)) + "/"
}

// rows returns all files by their resource keys.
func (w *world) rows(ctx context.Context) (map[string]fileRow, error) {
	rows := map[string]fileRow{}
	err := w.database.withConnection(ctx, func(conn *pgx.Conn) error {
		found, err := conn.Query(ctx, `
			SELECT f.user_id, f.resource_key, f.upload_id, u.resource_key AS upload_key, f.size, f.derived_bytes, f.objects,
				coalesce(f.poster_key, '') AS poster_key, coalesce(f.view_key, '') AS view_key,
				coalesce(f.collision_key, '') AS collision_key, f.facts IS NOT NULL AS inspected
			FROM files f JOIN uploads u ON u.id = f.upload_id`)
		if err != nil {
			return err
		}
		all, err := pgx.CollectRows(found, pgx.RowToStructByName[fileRow])
		for _, row := range all {
			rows[row.ResourceKey] = row
		}
		return err
	})
	return rows, err
}

// checkStore compares the store with the files: each file has as many objects and bytes
// as its row says, derived objects are counted, and every object belongs to a file.
func (w *world) checkStore(rows map[string]fileRow, sizes map[string]int64) {
	spoken := map[string]bool{}
	for _, row := range rows {
		own := w.checkWhole(row, sizes)
		derived, bytes := keysOf("", row.UserID+"/derived/"+row.UploadID+"/", sizes)
		if bytes != row.DerivedBytes {
			w.addViolation("file %s: %d bytes are stored of what was made of it (%q), and %d are counted", row.ResourceKey, bytes, derived, row.DerivedBytes)
		}
		for _, key := range []string{row.PosterKey, row.ViewKey, row.CollisionKey} {
			if _, there := sizes[row.UserID+"/"+key]; key != "" && !there {
				w.addLost("file %s: its %s is not stored", row.ResourceKey, key)
			}
		}
		if !row.Inspected {
			w.add("files never inspected", 1)
		}
		for _, key := range append(own, derived...) {
			spoken[key] = true
		}
	}
	for key, size := range sizes {
		if !spoken[key] {
			w.addViolation("orphan object of %d bytes: %s", size, key)
		}
	}
	w.add("files", len(rows))
	w.add("objects", len(sizes))
}

// checkWhole compares the stored objects of a file with its row, and returns their keys.
func (w *world) checkWhole(row fileRow, sizes map[string]int64) (own []string) {
	own, bytes := keysOf(row.UserID+"/"+row.ResourceKey, row.root(), sizes)
	if len(own) != row.Objects || bytes != row.Size {
		w.addLost("file %s: %d objects of %d bytes are stored, want %d of %d", row.ResourceKey, len(own), bytes, row.Objects, row.Size)
	}
	return own
}

// keysOf returns the keys of the objects in the folder root, or the key itself if root is
// "", and their bytes.
func keysOf(key, root string, sizes map[string]int64) (keys []string, bytes int64) {
	if root == "" {
		if size, there := sizes[key]; there {
			return []string{key}, size
		}
		return nil, 0
	}
	for key, size := range sizes {
		if strings.HasPrefix(key, root) {
			keys = append(keys, key)
			bytes += size
		}
	}
	return keys, bytes
}
