package db

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// PutAvatar stores an avatar, and assigns it in place of the former one if it says so. An avatar with
// the same figure is replaced and keeps its id and its time, which PutAvatar sets in avatar: a client
// that sends a request again gets one avatar. A file that was deleted meanwhile is not found.
//
// Locks are taken in the order of DeleteFile: the account, the files, then the avatars. The lock on
// the account makes the count exact, and leaves one avatar assigned.
func (db Accounts) PutAvatar(ctx context.Context, avatar *model.Avatar) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.Webhooks().lockAsCaller(ctx, avatar.UserID); err != nil {
			return err
		}
		if err := tx.Accounts().keepFilesOf(ctx, avatar); err != nil {
			return err
		}
		var others int
		err := tx.idb.NewRaw("SELECT count(*) FROM avatars WHERE "+belongsTo("?")+" AND glb <> ?", avatar.UserID, avatar.GLB).Scan(ctx, &others)
		if err != nil {
			return translate(err)
		}
		if others >= model.MaxAvatars {
			return model.Invalidf("An account can have at most %d avatars. Delete one first", model.MaxAvatars)
		}
		if avatar.Assigned {
			_, err := tx.idb.ExecContext(ctx, "UPDATE avatars SET assigned = false WHERE "+belongsTo("?")+" AND assigned AND glb <> ?",
				avatar.UserID, avatar.GLB)
			if err != nil {
				return translate(err)
			}
		}
		_, err = tx.idb.NewInsert().Model(avatar).On("CONFLICT (glb) DO UPDATE").
			Set("original_name = EXCLUDED.original_name, splat = EXCLUDED.splat, binding = EXCLUDED.binding").
			Set("fit = EXCLUDED.fit, thumbnail = EXCLUDED.thumbnail, assigned = EXCLUDED.assigned").
			Returning("id, sequence, created_at").Exec(ctx)
		if err != nil || !avatar.Assigned {
			return translate(err)
		}
		return tx.Audit().record(ctx, model.EventAvatarAssigned, avatar.UserID, avatar.ID, avatar.OriginalName)
	})
}

// keepFilesOf locks the files of an avatar against deletion until the transaction ends.
func (db Accounts) keepFilesOf(ctx context.Context, avatar *model.Avatar) error {
	var kept []string
	err := db.idb.NewRaw("SELECT resource_key FROM files WHERE resource_key = ANY(?::text[]) AND "+belongsTo("?")+
		" ORDER BY resource_key FOR KEY SHARE", pgdialect.Array(avatar.Files()), avatar.UserID).Scan(ctx, &kept)
	if err != nil {
		return translate(err)
	}
	found := map[string]bool{}
	for _, key := range kept {
		found[key] = true
	}
	for _, key := range avatar.Files() {
		if !found[key] {
			return model.NotFound(model.FileNotFound)
		}
	}
	return nil
}

// Avatars returns the account's avatars, newest first.
func (db Accounts) Avatars(ctx context.Context, userID string) ([]*model.Avatar, error) {
	avatars := []*model.Avatar{}
	err := db.idb.NewSelect().Model(&avatars).Where(belongsTo("?"), userID).Order("sequence DESC").Scan(ctx)
	return avatars, translate(err)
}

// Avatar returns an avatar of the account, or model.AvatarNotFound.
func (db Accounts) Avatar(ctx context.Context, userID, id string) (*model.Avatar, error) {
	avatar := new(model.Avatar)
	err := db.idb.NewSelect().Model(avatar).Where(belongsTo("?")+" AND id = ?", userID, id).Scan(ctx)
	return avatar, translateNotFound(err, model.AvatarNotFound)
}

// AssignedAvatar returns the avatar of the account; nil for none.
func (db Accounts) AssignedAvatar(ctx context.Context, userID string) (*model.Avatar, error) {
	avatar := new(model.Avatar)
	err := db.idb.NewSelect().Model(avatar).Where(belongsTo("?")+" AND assigned", userID).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return avatar, translate(err)
}

// DeleteAvatar deletes an avatar of the account. Its files stay.
func (db Accounts) DeleteAvatar(ctx context.Context, userID, id string) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.Webhooks().lockAsCaller(ctx, userID); err != nil {
			return err
		}
		avatar := new(model.Avatar)
		err := tx.idb.NewRaw("DELETE FROM avatars WHERE "+belongsTo("?")+" AND id = ? RETURNING *", userID, id).Scan(ctx, avatar)
		if err != nil {
			return translateNotFound(err, model.AvatarNotFound)
		}
		return tx.Audit().record(ctx, model.EventAvatarDeleted, userID, avatar.ID, avatar.OriginalName)
	})
}

// ShowsAsAvatar reports whether the file of an upload belongs to the assigned avatar of the account,
// and the account is not disabled.
func (db Accounts) ShowsAsAvatar(ctx context.Context, userID, uploadID string) (bool, error) {
	var shows bool
	err := db.idb.NewRaw(`
		SELECT EXISTS (
			SELECT FROM avatars AS a JOIN files AS f ON f.resource_key IN (a.glb, a.splat, a.binding, a.fit, a.thumbnail)
			WHERE a.`+belongsTo("?")+` AND a.assigned AND f.upload_id = ?
				AND NOT EXISTS (SELECT FROM disabled_accounts AS d WHERE d.user_id = a.user_id))`, userID, uploadID).Scan(ctx, &shows)
	return shows, translate(err)
}
