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
func (db Uploads) AddUpload(ctx context.Context, upload *model.Upload) error {
	_, err := db.idb.NewInsert().Model(upload).Exec(ctx)
	return translate(err)
}

// Upload returns the upload with this id, or model.UploadNotFound.
func (db Uploads) Upload(ctx context.Context, id string) (*model.Upload, error) {
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
func (db Uploads) UploadOf(ctx context.Context, userID, resourceKey string) (*model.Upload, error) {
	upload := new(model.Upload)
	err := db.idb.NewSelect().Model(upload).
		ColumnExpr(uploadColumns).
		Where("resource_key = ? AND "+belongsTo("?"), resourceKey, userID).Scan(ctx)
	return upload, translateNotFound(err, model.UploadNotFound)
}

// IsReserved reports whether the storage of the upload is reserved for a time from now on. Unlike
// Expired it compares with the present time, not with the start of the transaction.
func (db Uploads) IsReserved(ctx context.Context, id string, during time.Duration) (bool, error) {
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
func (db Uploads) MoveUpload(ctx context.Context, id string, from, to model.UploadState) (bool, error) {
	return rowChanged(db.updateUpload(id, from).Set("state = ?", to).Exec(ctx))
}

// updateUpload returns an update of the upload if it is in the state. It locks the account before
// the upload, as preventUserDeletion does, because the transaction adds a file, a job or a removal
// of the account.
func (db Uploads) updateUpload(id string, state model.UploadState) *bun.UpdateQuery {
	account := db.idb.NewRaw("SELECT FROM users WHERE id = (SELECT user_id FROM uploads WHERE id = ?) FOR KEY SHARE", id)
	return db.idb.NewUpdate().With("account", account).Model((*model.Upload)(nil)).
		Where("id = ? AND state = ? AND EXISTS (SELECT FROM account)", id, state)
}

// StartUpload changes the state of a pending upload to processing by the job, and reports
// whether it was pending.
func (db Uploads) StartUpload(ctx context.Context, id, jobID string) (bool, error) {
	return rowChanged(db.updateUpload(id, model.UploadPending).
		Set("state = ?", model.UploadProcessing).Set("job_id = ?", jobID).Exec(ctx))
}

// DiscardExpired discards up to limit pending uploads whose URL expired before the given
// time, and resumable ones UploadGrace earlier, because no request may append to these once
// they have expired. It schedules the removal of their objects, and returns how many.
//
// Replicas that run it together take different uploads, by SKIP LOCKED. It leaves out the uploads
// of an account that is being deleted. uploads_expired finds the oldest.
func (db Uploads) DiscardExpired(ctx context.Context, before time.Time, limit int) (int, error) {
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
func (db Uploads) PurgeUploads(ctx context.Context, before time.Time, limit int) (int, error) {
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
func (db Uploads) ExtendReservation(ctx context.Context, key string) (bool, error) {
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
func (db Uploads) KeepReceived(ctx context.Context, key string) (bool, error) {
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
func (db Uploads) ExpiredUploads(ctx context.Context, limit int) ([]*model.Upload, error) {
	var uploads []*model.Upload
	err := db.idb.NewRaw(`
		UPDATE uploads AS upload SET look_at = now() + interval '`+sweepInterval+`' WHERE id IN (
			SELECT id FROM uploads
			WHERE state = 'pending' AND expires_at <= now() AND coalesce(look_at <= now(), true)
			ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED)
		RETURNING id, user_id, resource_key, size`, limit).Scan(ctx, &uploads)
	return uploads, translate(err)
}

// writerLease is how long a request may append to an upload without renewing its lease. A
// client waits for so long after a process died.
//
// It is three renewals of graph.uploadLease, so a slow renewal does not lose it.
const writerLease = "15 seconds"

// ResumableUpload returns the user's resumable upload with this id. See UploadOf for its
// Expired.
func (db Uploads) ResumableUpload(ctx context.Context, userID, id string) (*model.Upload, error) {
	upload := new(model.Upload)
	err := db.idb.NewSelect().Model(upload).ColumnExpr(uploadColumns).
		Where("id = ? AND "+belongsTo("?")+" AND resumable", id, userID).Scan(ctx)
	return upload, translateNotFound(err, model.UploadNotFound)
}

// LeaseUpload lets the writer, an id of a request, append to the upload for writerLease, and
// reports whether it may. It may not while another writer has the lease, and when the upload
// is not pending any more or has expired. Repeat it before the lease ends.
//
// The upload does not expire before the lifetime has passed, in seconds. Its storage stays
// reserved until it is confirmed or discarded, because it has bytes in the store.
//
// It is one statement: of two requests that ask at the same time, one gets the lease. writer
// identifies the request, not the client, because a client that reconnects is another writer than
// its broken request.
func (db Uploads) LeaseUpload(ctx context.Context, id, writer string, lifetime float64) (bool, error) {
	return rowChanged(db.idb.NewRaw(`
		UPDATE uploads SET writer = ?1, writer_until = now() + interval '`+writerLease+`',
			held_until = 'infinity', look_at = 'infinity',
			expires_at = greatest(expires_at, date_trunc('second', now() + ?2 * interval '1 second'))
		WHERE id = ?0 AND resumable AND state = 'pending' AND expires_at > now()
			AND (writer IS NULL OR writer = ?1 OR writer_until <= now())`, id, writer, lifetime).Exec(ctx))
}

// IsReceiving reports whether bytes may be appended to the resumable upload: it is pending and has
// not expired. It is why LeaseUpload and LeasePart refuse a writer, if no other writer has the
// lease. Postgres compares the time, as it does for the lease, because the clock of this process
// may differ.
func (db Uploads) IsReceiving(ctx context.Context, id string) (bool, error) {
	var receiving bool
	err := db.idb.NewRaw(`
		SELECT EXISTS (SELECT FROM uploads WHERE id = ? AND resumable AND state = 'pending' AND expires_at > now())`, id).
		Scan(ctx, &receiving)
	return receiving, translate(err)
}

// ReleaseUpload ends the writer's lease, and reports whether the store must keep what the
// writer has appended: not if the upload was discarded meanwhile.
//
// It removes the lease only if it is the writer's own.
func (db Uploads) ReleaseUpload(ctx context.Context, id, writer string) (bool, error) {
	return rowChanged(db.idb.NewRaw(`
		UPDATE uploads SET writer = nullif(writer, ?1)
		WHERE id = ?0 AND state NOT IN ('discarded', 'failed')`, id, writer).Exec(ctx))
}

// LeasePart is LeaseUpload for a part of an upload: other parts have writers of their own.
//
// The upload must have parts. Its row is updated first, so leases of parts wait for a transaction
// that confirms or discards the upload, and then find it no longer pending.
func (db Uploads) LeasePart(ctx context.Context, id string, part int, writer string, lifetime float64) (bool, error) {
	return rowChanged(db.idb.NewRaw(`
		WITH receiving AS (
			UPDATE uploads SET held_until = 'infinity', look_at = 'infinity',
				expires_at = greatest(expires_at, date_trunc('second', now() + ?3 * interval '1 second'))
			WHERE id = ?0 AND parts > 0 AND state = 'pending' AND expires_at > now() RETURNING id
		)
		INSERT INTO upload_writers AS w (upload_id, part, writer, writer_until)
		SELECT id, ?1, ?2, now() + interval '`+writerLease+`' FROM receiving
		ON CONFLICT (upload_id, part) DO UPDATE SET writer = EXCLUDED.writer, writer_until = EXCLUDED.writer_until
			WHERE w.writer = EXCLUDED.writer OR w.writer_until <= now()`, id, part, writer, lifetime).Exec(ctx))
}

// ReleasePart is ReleaseUpload for a part of an upload.
func (db Uploads) ReleasePart(ctx context.Context, id string, part int, writer string) (bool, error) {
	var wanted bool
	err := db.idb.NewRaw(`
		WITH released AS (DELETE FROM upload_writers WHERE upload_id = ?0 AND part = ?1 AND writer = ?2)
		SELECT EXISTS (SELECT FROM uploads WHERE id = ?0 AND state NOT IN ('discarded', 'failed'))`, id, part, writer).Scan(ctx, &wanted)
	return wanted, translate(err)
}
