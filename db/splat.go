package db

import (
	"context"

	"portico/model"
)

// liveSplatUpload is the condition that an upload u of a row p may still become a splat, or has
// become one that was not deleted.
const liveSplatUpload = `CASE u.state WHEN 'pending' THEN u.expires_at > now() WHEN 'discarded' THEN false WHEN 'failed' THEN false
	ELSE NOT p.published OR EXISTS (SELECT FROM spaces WHERE id = p.space_id) END`

// AddSplatUpload inserts the row of an upload of the same transaction, and reports whether the
// idempotency key was free.
func (db Splats) AddSplatUpload(ctx context.Context, upload *model.SplatUpload) (bool, error) {
	return rowChanged(db.idb.NewInsert().Model(upload).On("CONFLICT (user_id, idempotency_key) DO NOTHING").Exec(ctx))
}

// ReleaseIdempotencyKey makes the key of the account free if the upload that has it was canceled,
// has expired or has failed, or if its space was deleted: the client can send the same file again.
func (db Splats) ReleaseIdempotencyKey(ctx context.Context, userID, key string) error {
	_, err := db.idb.NewRaw(`UPDATE splat_uploads AS p SET idempotency_key = NULL FROM uploads AS u
		WHERE p.`+belongsTo("?")+` AND p.idempotency_key = ? AND u.id = p.upload_id AND NOT `+liveSplatUpload, userID, key).Exec(ctx)
	return translate(err)
}

// SplatUploadWithKey returns the id of the account's upload with this idempotency key; "" for none.
func (db Splats) SplatUploadWithKey(ctx context.Context, userID, key string) (string, error) {
	var ids []string
	err := db.idb.NewRaw("SELECT upload_id FROM splat_uploads WHERE "+belongsTo("?")+" AND idempotency_key = ?", userID, key).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return "", translate(err)
	}
	return ids[0], nil
}

// SplatUpload returns the row of an upload; model.UploadNotFound for an upload of another door.
func (db Splats) SplatUpload(ctx context.Context, uploadID string) (*model.SplatUpload, error) {
	upload := new(model.SplatUpload)
	err := db.idb.NewSelect().Model(upload).Where("upload_id = ?", uploadID).Scan(ctx)
	return upload, translateNotFound(err, model.UploadNotFound)
}

// LockSplatUpload is SplatUpload that locks the row until the end of the transaction. The request
// that publishes the space and the worker that stores its file both lock it, so the second of them
// sees what the first one did. Nil means that there is none.
func (db Splats) LockSplatUpload(ctx context.Context, uploadID string) (*model.SplatUpload, error) {
	upload := new(model.SplatUpload)
	err := db.idb.NewSelect().Model(upload).Where("upload_id = ?", uploadID).For("UPDATE").Scan(ctx)
	if model.CodeOf(translateNotFound(err, model.UploadNotFound)) == model.CodeNotFound {
		return nil, nil
	}
	return upload, translate(err)
}

// PublishSplat records that the space of the upload was created.
func (db Splats) PublishSplat(ctx context.Context, uploadID string) error {
	_, err := db.idb.NewRaw("UPDATE splat_uploads SET published = true WHERE upload_id = ?", uploadID).Exec(ctx)
	return translate(err)
}

// SplatParts returns the parts of the upload that have arrived, in their order.
func (db Splats) SplatParts(ctx context.Context, uploadID string) ([]*model.SplatPart, error) {
	var parts []*model.SplatPart
	err := db.idb.NewRaw("SELECT part, etag FROM splat_parts WHERE upload_id = ? ORDER BY part", uploadID).Scan(ctx, &parts)
	return parts, translate(err)
}

// ForgetSplatPart removes the part, which is being replaced, from the parts that have arrived.
func (db Splats) ForgetSplatPart(ctx context.Context, uploadID string, part int) error {
	_, err := db.idb.NewRaw("DELETE FROM splat_parts WHERE upload_id = ? AND part = ?", uploadID, part).Exec(ctx)
	return translate(err)
}

// AddSplatPart records that the part has arrived, and reports whether the writer still has its
// lease: otherwise another request replaces the part.
func (db Splats) AddSplatPart(ctx context.Context, uploadID string, part *model.SplatPart, writer string) (bool, error) {
	return rowChanged(db.idb.NewRaw(`
		INSERT INTO splat_parts (upload_id, part, etag)
		SELECT upload_id, part, ?3 FROM upload_writers WHERE upload_id = ?0 AND part = ?1 AND writer = ?2 AND writer_until > now()
		ON CONFLICT (upload_id, part) DO UPDATE SET etag = EXCLUDED.etag`, uploadID, part.Part, writer, part.ETag).Exec(ctx))
}

// AddSettings stores the settings of SuperSplat's viewer that came with the file of an upload.
func (db Splats) AddSettings(ctx context.Context, uploadID string, settings []byte) error {
	_, err := db.idb.NewRaw(`INSERT INTO splat_settings (upload_id, settings) VALUES (?0, ?1)
		ON CONFLICT (upload_id) DO UPDATE SET settings = EXCLUDED.settings`, uploadID, settings).Exec(ctx)
	return translate(err)
}

// Settings returns the settings that came with the file of an upload; nil for none.
func (db Splats) Settings(ctx context.Context, uploadID string) ([]byte, error) {
	var found [][]byte
	err := db.idb.NewRaw("SELECT settings FROM splat_settings WHERE upload_id = ?", uploadID).Scan(ctx, &found)
	if err != nil || len(found) == 0 {
		return nil, translate(err)
	}
	return found[0], nil
}

// splatColumns and splatJoins select spaces s as splats, each with the first file that it shows.
const (
	splatColumns = `s.id, s.owner_id, s.title, s.description, s.licence, s.privacy, s.created_at, s.touched_at,
		u.state AS upload_state, file.resource_key, file.size, file.created_at AS stored_at`

	splatJoins = ` LEFT JOIN splat_uploads AS p ON p.space_id = s.id LEFT JOIN uploads AS u ON u.id = p.upload_id LEFT JOIN LATERAL (
			SELECT f.resource_key, f.size, f.created_at FROM (
				SELECT sequence, ` + uploadOfEntity + ` AS upload_id FROM (
					SELECT sequence, data FROM entities WHERE space_id = s.id AND ` + listedEntity + ` ORDER BY sequence LIMIT ?
				) AS first
			) AS e JOIN files AS f ON f.upload_id = e.upload_id AND f.user_id = s.owner_id ORDER BY e.sequence LIMIT 1
		) AS file ON true`
)

// Splats returns the owner's spaces as splats, newest first, after the first skip ones.
func (db Splats) Splats(ctx context.Context, ownerID string, limit, skip int) (*model.SplatPage, error) {
	page := new(model.SplatPage)
	err := db.idb.NewRaw("SELECT count(*) FROM spaces WHERE "+ownedBy("?"), ownerID).Scan(ctx, &page.Total)
	if err != nil {
		return nil, translate(err)
	}
	err = db.idb.NewRaw("SELECT "+splatColumns+" FROM (SELECT * FROM spaces WHERE "+ownedBy("?")+" ORDER BY sequence DESC LIMIT ? OFFSET ?) AS s"+
		splatJoins+" ORDER BY s.sequence DESC", ownerID, limit, skip, maxCoverEntities).Scan(ctx, &page.Splats)
	return page, translate(err)
}

// Splat returns the space with this id as a splat. The caller has checked who may read it.
func (db Splats) Splat(ctx context.Context, id string) (*model.Splat, error) {
	splat := new(model.Splat)
	err := db.idb.NewRaw("SELECT "+splatColumns+" FROM spaces AS s"+splatJoins+" WHERE s.id = ?", maxCoverEntities, id).Scan(ctx, splat)
	return splat, translateNotFound(err, model.SpaceNotFound)
}
