package db

import (
	"context"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"portico/model"
)

// AddUpload inserts an upload. Its id and its resource key are random, so a duplicate of either is
// an internal error.
func (db *DB) AddUpload(ctx context.Context, upload *model.Upload) error {
	_, err := db.idb.NewInsert().Model(upload).Exec(ctx)
	return translate(err)
}

// Upload returns the upload with this id, or model.UploadNotFound.
func (db *DB) Upload(ctx context.Context, id string) (*model.Upload, error) {
	upload := new(model.Upload)
	err := db.idb.NewSelect().Model(upload).Where("id = ?", id).Scan(ctx)
	return upload, translateNotFound(err, model.UploadNotFound)
}

// uploadColumns are the columns of an upload with its Expired.
//
// expires_at is the end of the presigned URL. held_until keeps the reservation of storage longer
// where bytes have arrived or are arriving; infinity until the upload is confirmed or discarded.
const uploadColumns = "?TableColumns, expires_at <= now() AND coalesce(held_until <= now(), true) AS expired"

// UploadOf returns the user's upload with this resource key. Its Expired reports whether
// its reservation of storage has expired.
func (db *DB) UploadOf(ctx context.Context, userID, resourceKey string) (*model.Upload, error) {
	upload := new(model.Upload)
	err := db.idb.NewSelect().Model(upload).
		ColumnExpr(uploadColumns).
		Where("resource_key = ? AND "+belongsTo("?"), resourceKey, userID).Scan(ctx)
	return upload, translateNotFound(err, model.UploadNotFound)
}

// IsReserved reports whether the storage of the upload is reserved for a time from now on. Unlike
// Expired it compares with the present time, not with the start of the transaction.
func (db *DB) IsReserved(ctx context.Context, id string, during time.Duration) (bool, error) {
	var isReserved bool
	err := db.idb.NewRaw(`
		SELECT expires_at > until OR coalesce(held_until > until, false)
		FROM uploads, (SELECT clock_timestamp() + ?::interval AS until) AS clock WHERE id = ?`, milliseconds(during), id).
		Scan(ctx, &isReserved)
	return isReserved, translateNotFound(err, model.UploadNotFound)
}

// MoveUpload changes the state of the upload and reports whether it was in the state from:
// of two concurrent requests, one succeeds.
//
// The states and who moves an upload between them. graph.TestUpload_in_each_state_after_each_act
// has every arrow, and what is refused:
//
//	pending     confirmed    a small file was confirmed (StoreFile)
//	pending     processing   a job was started for it (StartUpload)
//	pending     discarded    the client gave it up, or it expired (DiscardExpired)
//	processing  confirmed    the job stored the file
//	processing  failed       the job failed (FailJobAndUpload)
//	confirmed   discarded    its file was deleted
func (db *DB) MoveUpload(ctx context.Context, id string, from, to model.UploadState) (bool, error) {
	return rowChanged(db.updateUpload(id, from).Set("state = ?", to).Exec(ctx))
}

// updateUpload returns an update of the upload if it is in the state. It locks the account before
// the upload, as preventUserDeletion does, because the transaction adds a file, a job or a removal
// of the account.
func (db *DB) updateUpload(id string, state model.UploadState) *bun.UpdateQuery {
	account := db.idb.NewRaw("SELECT FROM users WHERE id = (SELECT user_id FROM uploads WHERE id = ?) FOR KEY SHARE", id)
	return db.idb.NewUpdate().With("account", account).Model((*model.Upload)(nil)).
		Where("id = ? AND state = ? AND EXISTS (SELECT FROM account)", id, state)
}

// StartUpload changes the state of a pending upload to processing by the job, and reports
// whether it was pending.
func (db *DB) StartUpload(ctx context.Context, id, jobID string) (bool, error) {
	return rowChanged(db.updateUpload(id, model.UploadPending).
		Set("state = ?", model.UploadProcessing).Set("job_id = ?", jobID).Exec(ctx))
}

// DiscardExpired discards up to limit pending uploads whose URL expired before the given
// time, and resumable ones UploadGrace earlier, because no request may append to these once
// they have expired. It schedules the removal of their objects, and returns how many.
//
// Replicas that run it together take different uploads, by SKIP LOCKED. It leaves out the uploads
// of an account that is being deleted. uploads_expired finds the oldest.
func (db *DB) DiscardExpired(ctx context.Context, before time.Time, limit int) (int, error) {
	var keys []string
	err := db.idb.NewRaw(`
		WITH expired AS (
			SELECT id, user_id FROM uploads WHERE state = 'pending' AND expires_at < ?1 AND (resumable OR expires_at < ?0)
			ORDER BY expires_at LIMIT ?2 FOR UPDATE SKIP LOCKED
		), accounts AS (
			SELECT id FROM users WHERE id IN (SELECT user_id FROM expired) FOR KEY SHARE SKIP LOCKED
		), discarded AS (
			UPDATE uploads SET state = 'discarded'
			WHERE id IN (SELECT id FROM expired) AND user_id IN (SELECT id FROM accounts)
			RETURNING user_id || '/' || resource_key AS key, user_id, CASE WHEN held_until > now() THEN size ELSE 0 END AS bytes
		)
		INSERT INTO removals (key, due_at, user_id, bytes) SELECT key, now(), user_id, bytes FROM discarded
		ON CONFLICT (key) DO UPDATE SET due_at = EXCLUDED.due_at, user_id = EXCLUDED.user_id, bytes = EXCLUDED.bytes
		RETURNING key`,
		before, before.Add(model.UploadGrace), limit).Scan(ctx, &keys)
	return len(keys), translate(err)
}

// PurgeUploads deletes up to limit discarded or failed uploads whose URL expired before the given
// time, and returns how many. It keeps an upload as long as its job or its file.
func (db *DB) PurgeUploads(ctx context.Context, before time.Time, limit int) (int, error) {
	result, err := db.idb.ExecContext(ctx, `
		DELETE FROM uploads WHERE id IN (
			SELECT id FROM uploads AS u
			WHERE state IN ('discarded', 'failed') AND expires_at < ?
				AND NOT EXISTS (SELECT 1 FROM jobs WHERE upload_id = u.id)
				AND NOT EXISTS (SELECT 1 FROM files WHERE upload_id = u.id)
			ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED)`, before, limit)
	if err != nil {
		return 0, translate(err)
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// ExtendReservation keeps storage reserved in the quota for the upload with this storage key until
// at least two minutes from now, even if the URL expires before. It reports whether the upload is
// pending. The store may accept bytes only then; for other uploads nothing changes.
//
// The store asks before it reads the body of a PUT. The two minutes cover the time until
// KeepReceived, unless the store extends them while bytes arrive.
func (db *DB) ExtendReservation(ctx context.Context, key string) (bool, error) {
	userID, resourceKey, _ := strings.Cut(key, "/")
	return rowChanged(db.idb.NewRaw(`
		UPDATE uploads SET held_until = greatest(held_until, now() + interval '2 minutes')
		WHERE resource_key = ? AND `+belongsTo("?")+` AND state = 'pending'`, resourceKey, userID).Exec(ctx))
}

// KeepReceived reports whether the store must keep the bytes that it has just received
// for the upload with this storage key: the upload is pending, or was confirmed meanwhile.
// The storage of a pending upload stays reserved from now on until it is confirmed or
// discarded.
//
// The second statement is for a client that confirms while the last response of the store is on its
// way.
func (db *DB) KeepReceived(ctx context.Context, key string) (bool, error) {
	userID, resourceKey, _ := strings.Cut(key, "/")
	pending, err := rowChanged(db.idb.NewRaw(`
		UPDATE uploads SET held_until = 'infinity', look_at = 'infinity'
		WHERE resource_key = ? AND `+belongsTo("?")+` AND state = 'pending'`, resourceKey, userID).Exec(ctx))
	if err != nil || pending {
		return pending, err
	}
	var wanted bool
	err = db.idb.NewRaw(`SELECT EXISTS (
			SELECT 1 FROM uploads WHERE resource_key = ?0 AND `+belongsTo("?1")+` AND state = 'processing'
		) OR EXISTS (SELECT 1 FROM files WHERE resource_key = ?0 AND `+belongsTo("?1")+`)`, resourceKey, userID).Scan(ctx, &wanted)
	return wanted, translate(err)
}

// ExpiredUploads returns up to limit pending uploads whose URL has expired and for which the store
// may have received bytes. It returns each upload at most once in five minutes.
func (db *DB) ExpiredUploads(ctx context.Context, limit int) ([]*model.Upload, error) {
	var uploads []*model.Upload
	err := db.idb.NewRaw(`
		UPDATE uploads AS upload SET look_at = now() + interval '`+sweepInterval+`' WHERE id IN (
			SELECT id FROM uploads
			WHERE state = 'pending' AND expires_at <= now() AND coalesce(look_at <= now(), true)
			ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED)
		RETURNING id, user_id, resource_key, size`, limit).Scan(ctx, &uploads)
	return uploads, translate(err)
}
