package db

import (
	"context"

	"portico/model"
)

// writerLease is how long a request may append to an upload without renewing its lease. A
// client waits for so long after a process died.
//
// It is three renewals of graph.uploadLease, so a slow renewal does not lose it.
const writerLease = "15 seconds"

// ResumableUpload returns the user's resumable upload with this id. See UploadOf for its
// Expired.
func (db *DB) ResumableUpload(ctx context.Context, userID, id string) (*model.Upload, error) {
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
func (db *DB) LeaseUpload(ctx context.Context, id, writer string, lifetime float64) (bool, error) {
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
func (db *DB) IsReceiving(ctx context.Context, id string) (bool, error) {
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
func (db *DB) ReleaseUpload(ctx context.Context, id, writer string) (bool, error) {
	return rowChanged(db.idb.NewRaw(`
		UPDATE uploads SET writer = nullif(writer, ?1)
		WHERE id = ?0 AND state NOT IN ('discarded', 'failed')`, id, writer).Exec(ctx))
}

// LeasePart is LeaseUpload for a part of an upload: other parts have writers of their own.
//
// The upload must have parts. Its row is updated first, so leases of parts wait for a transaction
// that confirms or discards the upload, and then find it no longer pending.
func (db *DB) LeasePart(ctx context.Context, id string, part int, writer string, lifetime float64) (bool, error) {
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
func (db *DB) ReleasePart(ctx context.Context, id string, part int, writer string) (bool, error) {
	var wanted bool
	err := db.idb.NewRaw(`
		WITH released AS (DELETE FROM upload_writers WHERE upload_id = ?0 AND part = ?1 AND writer = ?2)
		SELECT EXISTS (SELECT FROM uploads WHERE id = ?0 AND state NOT IN ('discarded', 'failed'))`, id, part, writer).Scan(ctx, &wanted)
	return wanted, translate(err)
}
