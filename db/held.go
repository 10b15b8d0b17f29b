package db

import (
	"context"
	"strings"
	"time"

	"portico/model"
)

// Removal is an object, or a folder (a key that ends in a slash), which no row speaks
// for once the transaction is committed.
type Removal struct {
	Key string
	// Due is when nobody writes there any more.
	Due time.Time
	// UserID is whose storage Bytes count in, until the object is gone.
	UserID string
	Bytes  int64
	// Sweep is when the object is to be deleted, before Due too. What it held is free
	// once it was deleted after that.
	Sweep time.Time
}

// GivenUp returns the removal of an upload's bytes. Until its URL has expired they may
// come once more, where the store does not know that nobody waits for them.
func GivenUp(upload *model.Upload) Removal {
	return Removal{
		Key: upload.StorageKey(), Due: upload.LateUntil(), UserID: upload.UserID, Bytes: upload.Size, Sweep: upload.ExpiresAt.Time,
	}
}

// sweepEvery is how often the store is asked for bytes that may come late.
const sweepEvery = "5 minutes"

// AddRemoval writes a removal down whose bytes count until it is gone. See AddRemovals
// for the clock that its times go by.
func (db *DB) AddRemoval(ctx context.Context, r Removal) error {
	_, err := db.idb.NewRaw(`
		INSERT INTO removals (key, user_id, bytes, due_at, sweep_at)
		VALUES (?, ?, ?, greatest(?, now() + ? * interval '1 second'), now() + greatest(0, ?) * interval '1 second')
		ON CONFLICT (key) DO UPDATE SET
			user_id = EXCLUDED.user_id, bytes = greatest(removals.bytes, EXCLUDED.bytes),
			due_at = greatest(removals.due_at, EXCLUDED.due_at), sweep_at = EXCLUDED.sweep_at`,
		r.Key, r.UserID, r.Bytes, r.Due.UTC(), time.Until(r.Due).Seconds(), time.Until(r.Sweep).Seconds()).Exec(ctx)
	return translate(err)
}

// Swept frees what a removal held, once the object was deleted. Where bytes may still
// come (late), it stays held until its time to sweep has come, and is swept again
// until it is due.
func (db *DB) Swept(ctx context.Context, key string, late bool) error {
	_, err := db.idb.NewRaw(`
		UPDATE removals SET bytes = 0, sweep_at = CASE WHEN ?1 THEN now() + interval '`+sweepEvery+`' END
		WHERE key = ?0 AND sweep_at IS NOT NULL AND (NOT ?1 OR sweep_at <= now())`, key, late).Exec(ctx)
	return translate(err)
}

// Sweeps returns up to limit keys whose time to sweep has come before they are due, the
// longest first.
func (db *DB) Sweeps(ctx context.Context, limit int) ([]string, error) {
	var keys []string
	err := db.idb.NewSelect().Model((*removal)(nil)).Column("key").Where("sweep_at <= now() AND due_at > now()").
		Order("sweep_at").Limit(int64(limit)).Scan(ctx, &keys)
	return keys, translate(err)
}

// PostponeSweep lets others go before an object that could not be deleted.
func (db *DB) PostponeSweep(ctx context.Context, key string) error {
	_, err := db.idb.NewRaw("UPDATE removals SET sweep_at = now() + interval '"+sweepEvery+"' WHERE key = ?", key).Exec(ctx)
	return translate(err)
}

// ReceivingUpload reports whether bytes may come for the upload whose place in the store
// is key, since it is pending. It counts as promised for two minutes from now on,
// whenever its URL expires.
func (db *DB) ReceivingUpload(ctx context.Context, key string) (bool, error) {
	userID, resourceKey, _ := strings.Cut(key, "/")
	return changed(db.idb.NewRaw(`
		UPDATE uploads SET held_until = greatest(held_until, now() + interval '2 minutes')
		WHERE resource_key = ? AND user_id = ? AND state = 'pending'`, resourceKey, userID).Exec(ctx))
}

// ReceivedUpload reports whether the bytes that have just been stored for the upload
// whose place in the store is key are wanted: it is pending, and counts as promised from
// now on until it is confirmed or given up, or it was confirmed as it is meanwhile.
func (db *DB) ReceivedUpload(ctx context.Context, key string) (bool, error) {
	userID, resourceKey, _ := strings.Cut(key, "/")
	pending, err := changed(db.idb.NewRaw(`
		UPDATE uploads SET held_until = 'infinity', look_at = 'infinity'
		WHERE resource_key = ? AND user_id = ? AND state = 'pending'`, resourceKey, userID).Exec(ctx))
	if err != nil || pending {
		return pending, err
	}
	var wanted bool
	err = db.idb.NewRaw(`SELECT EXISTS (
			SELECT 1 FROM uploads WHERE resource_key = ?0 AND user_id = ?1 AND state = 'processing'
		) OR EXISTS (SELECT 1 FROM files WHERE resource_key = ?0 AND user_id = ?1)`, resourceKey, userID).Scan(ctx, &wanted)
	return wanted, translate(err)
}

// LapsedUploads returns up to limit pending uploads whose URL has expired and of which
// it is not known whether their bytes came, each of them once in five minutes.
func (db *DB) LapsedUploads(ctx context.Context, limit int) ([]*model.Upload, error) {
	var uploads []*model.Upload
	err := db.idb.NewRaw(`
		UPDATE uploads AS upload SET look_at = now() + interval '`+sweepEvery+`' WHERE id IN (
			SELECT id FROM uploads
			WHERE state = 'pending' AND expires_at <= now() AND coalesce(look_at <= now(), true)
			ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED)
		RETURNING id, user_id, resource_key, size`, limit).Scan(ctx, &uploads)
	return uploads, translate(err)
}
