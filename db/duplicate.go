package db

import (
	"context"
	"strings"

	"portico/model"
)

// Duplicate is a copy of a space.
type Duplicate struct {
	Source *model.Space
	// Space is the copy, without entities.
	Space *model.Space
	// Files are the files that the copy does not share with the source. A copy that shares all files has
	// none.
	Files []model.CopiedFile
}

// isRemix reports whether the copy belongs to another account.
func (d Duplicate) isRemix() bool { return d.Source.OwnerID != d.Space.OwnerID }

// notPlugin is the condition that an entity shows no plugin. Pages recognise a plugin by its address.
const notPlugin = `coalesce(data->>'glbUrl', '') !~* '\.mjs([?#]|$)'`

// CopiedSize returns the number of entities of a space, and the bytes of their JSON.
func (db Spaces) CopiedSize(ctx context.Context, spaceID string) (entities int, bytes int64, err error) {
	err = db.idb.NewRaw("SELECT count(*), coalesce(sum(bytes), 0)::bigint FROM entities WHERE space_id = ?", spaceID).Scan(ctx, &entities, &bytes)
	return entities, bytes, translate(err)
}

// FilesToCopy returns up to limit files of the owner that the space refers to, with their uploads, by
// the key of the file: in entities, in its own fields and as assets.
func (db Spaces) FilesToCopy(ctx context.Context, space *model.Space, limit int) ([]*model.File, map[string]*model.Upload, error) {
	var files []*model.File
	err := db.idb.NewRaw(`SELECT * FROM files WHERE `+belongsTo("?0")+` AND upload_id IN (
			SELECT upload_id FROM entities WHERE space_id = ?1 AND upload_id IS NOT NULL
			UNION SELECT unnest(other_files) FROM entities WHERE space_id = ?1 AND other_files IS NOT NULL
			UNION SELECT found.id[2] FROM spaces, regexp_matches(data::text, '(api_uploads|derived)/([a-z0-9]+)', 'g') AS found(id) WHERE spaces.id = ?1
			UNION SELECT f.upload_id FROM space_files AS s JOIN files AS f USING (resource_key) WHERE s.space_id = ?1
		) ORDER BY sequence LIMIT ?2`, space.OwnerID, space.ID, limit).Scan(ctx, &files)
	if err != nil {
		return nil, nil, translate(err)
	}
	uploads := map[string]*model.Upload{}
	for _, file := range files {
		if uploads[file.ResourceKey], err = db.Uploads().Upload(ctx, file.UploadID); err != nil {
			return nil, nil, err
		}
	}
	return files, uploads, nil
}

// AddDuplicate stores a copy of a space with its entities and files. Call it in a transaction, which has
// checked that the space may be copied, and whose objects are in the store: their removals, which were
// scheduled before, are struck out.
//
// The JSON is counted by triggers, before the account is locked for the files (see LockStorage).
func (db Spaces) AddDuplicate(ctx context.Context, d Duplicate) error {
	if _, err := db.idb.NewInsert().Model(d.Space).Exec(ctx); err != nil {
		return translate(err)
	}
	if err := db.copyEntities(ctx, d); err != nil {
		return err
	}
	if err := db.addCopiedFiles(ctx, d); err != nil {
		return err
	}
	if err := db.copySpaceFiles(ctx, d); err != nil {
		return err
	}
	db.Announce(SpacesTopic(d.Space.OwnerID))
	return nil
}

// copyEntities copies the entities in one statement, in their order. References to copied files become
// references to the copies.
func (db Spaces) copyEntities(ctx context.Context, d Duplicate) error {
	var renames []any
	for _, file := range d.Files {
		for _, pair := range file.Renames() {
			renames = append(renames, pair[0], pair[1])
		}
	}
	// replace(replace(data::text, a, b), c, d), from the inside out
	rename := func(column string) string {
		if len(renames) == 0 {
			return column
		}
		return "CASE WHEN upload_id IS NULL AND other_files IS NULL THEN " + column + " ELSE " +
			strings.Repeat("replace(", len(renames)/2) + column + "::text" + strings.Repeat(", ?, ?)", len(renames)/2) + "::jsonb END"
	}
	where := ""
	if d.isRemix() {
		where = " AND " + notPlugin
	}
	args := append([]any{d.Space.ID}, renames...)
	args = append(append(args, renames...), d.Source.ID)
	_, err := db.idb.ExecContext(ctx, "INSERT INTO entities (space_id, entity_id, type, data, state) SELECT ?, entity_id, type, "+
		rename("data")+", "+rename("state")+" FROM entities WHERE space_id = ?"+where+" ORDER BY sequence", args...)
	return translate(err)
}

// addCopiedFiles stores the copied files, and refuses more than the account has room for.
func (db Spaces) addCopiedFiles(ctx context.Context, d Duplicate) error {
	if len(d.Files) == 0 {
		return nil
	}
	var size int64
	for _, file := range d.Files {
		size += file.Bytes()
	}
	storage, err := db.Accounts().LockStorage(ctx, d.Space.OwnerID)
	if err != nil {
		return err
	}
	if size > storage.Free() {
		return model.StorageFull()
	}
	for _, file := range d.Files {
		if err := db.Uploads().AddUpload(ctx, file.Upload); err != nil {
			return err
		}
		if err := db.Files().AddFile(ctx, file.File); err != nil {
			return err
		}
		if err := db.Queue().EnqueuePreparation(ctx, file.File.ResourceKey); err != nil {
			return err
		}
		for _, key := range file.Roots() {
			if _, err := db.idb.ExecContext(ctx, "DELETE FROM removals WHERE key = ?", key); err != nil {
				return translate(err)
			}
		}
	}
	return nil
}

// copySpaceFiles gives the copy the assets, and without other files the plugins too.
func (db Spaces) copySpaceFiles(ctx context.Context, d Duplicate) error {
	files, err := db.SpaceFiles(ctx, d.Source.ID)
	if err != nil {
		return err
	}
	copies := map[string]string{}
	for _, file := range d.Files {
		copies[file.Source.ResourceKey] = file.File.ResourceKey
	}
	for _, file := range files {
		key := file.ResourceKey
		if d.isRemix() {
			if key = copies[key]; key == "" {
				continue // a plugin, or a file that was added meanwhile
			}
		}
		if err := db.PutSpaceFile(ctx, &model.SpaceFile{SpaceID: d.Space.ID, Path: file.Path, ResourceKey: key, SHA256: file.SHA256}); err != nil {
			return err
		}
	}
	return nil
}
