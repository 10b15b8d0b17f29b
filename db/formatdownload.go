package db

import (
	"context"
	"time"

	"portico/model"
)

// The limits of what visitors can have made. The formats of one account keep within the storage that
// it has free, without using it: its owner is refused nothing because of visitors.
const (
	// maxWaitingFormats is how many formats wait for a worker or are made, and maxWaitingOfAccount how
	// many of them of the captures of one account.
	maxWaitingFormats   = 64
	maxWaitingOfAccount = 4
	// maxFormatsOfAccount is how many formats of one account are kept.
	maxFormatsOfAccount = 64
	// formatAge is how long a format is kept, or the reason why it cannot be made. Its objects stay a
	// few hours longer: see model.DerivedUntil.
	formatAge = 20 * time.Hour
)

// FormatDownload returns what was asked for and is kept; nil for none.
func (db Files) FormatDownload(ctx context.Context, file *model.File, format model.ConversionTarget) (*model.FormatDownload, error) {
	var rows []*model.FormatDownload
	err := db.idb.NewSelect().Model(&rows).
		Where("resource_key = ? AND format = ? AND ends_at > now()", file.ResourceKey, format).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, translate(err)
	}
	return rows[0], nil
}

// AskFormat returns the file in another format, which it has a worker make if nobody has asked for it
// in the last hours. It returns CodeRateLimited while too much is being made.
//
// The lock on the owner's account makes requests for its files wait for each other, so that none is made
// twice and all are counted.
func (db Files) AskFormat(ctx context.Context, file *model.File, format model.ConversionTarget) (found *model.FormatDownload, err error) {
	if found, err = db.FormatDownload(ctx, file, format); err != nil || found != nil {
		return found, err
	}
	err = db.InTx(ctx, func(tx *DB) error {
		_, current, err := tx.Files().lockDerived(ctx, file)
		if err != nil {
			return err
		}
		if current == nil {
			return model.NotFound(model.FileNotFound)
		}
		if found, err = tx.Files().FormatDownload(ctx, file, format); err != nil || found != nil {
			return err
		}
		if err := tx.Files().checkFormats(ctx, file.UserID); err != nil {
			return err
		}
		found = &model.FormatDownload{
			ResourceKey: file.ResourceKey, Format: format, UserID: file.UserID, EndsAt: model.Time{Time: time.Now().Add(formatAge)},
		}
		_, err = tx.idb.NewInsert().Model(found).Value("ends_at", "now() + ? * interval '1 second'", formatAge.Seconds()).
			On("CONFLICT (resource_key, format) DO UPDATE").
			Set("key = NULL, failure = NULL, bytes = 0, ends_at = EXCLUDED.ends_at").Exec(ctx)
		if err != nil {
			return translate(err)
		}
		return tx.Queue().enqueueFormat(ctx, file.ResourceKey, format)
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// checkFormats refuses one more format of a file of the account.
func (db Files) checkFormats(ctx context.Context, userID string) error {
	var waiting, ofAccount, kept int
	err := db.idb.NewRaw(`
		SELECT (SELECT count(*) FROM format_downloads WHERE key IS NULL AND failure IS NULL AND ends_at > now()),
			count(*) FILTER (WHERE key IS NULL AND failure IS NULL), count(*)
		FROM format_downloads WHERE user_id = ? AND ends_at > now()`, userID).Scan(ctx, &waiting, &ofAccount, &kept)
	switch {
	case err != nil:
		return translate(err)
	case waiting >= maxWaitingFormats || ofAccount >= maxWaitingOfAccount:
		return &model.Error{Code: model.CodeRateLimited, Message: "Too many formats are being made. Try again in a few minutes", RetryAfter: time.Minute}
	case kept >= maxFormatsOfAccount:
		return &model.Error{Code: model.CodeRateLimited, Message: "Too many formats were made of the captures of this account today", RetryAfter: time.Hour}
	}
	return nil
}

// AddFormat stores the key and the size of a file in another format, and reports whether it did: it
// stores nothing if the file was deleted or has the format already. It returns CodeQuotaExceeded if the
// owner's free storage has no room for all formats that are kept. They are not counted as used.
func (db Files) AddFormat(ctx context.Context, made *model.FormatDownload) (added bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		account, err := tx.Accounts().LockStorage(ctx, made.UserID)
		if err != nil {
			return err
		}
		var kept int64
		err = tx.idb.NewRaw("SELECT coalesce(sum(bytes), 0) FROM format_downloads WHERE user_id = ? AND ends_at > now()", made.UserID).Scan(ctx, &kept)
		if err != nil {
			return translate(err)
		}
		if account.Free() < kept+made.Bytes {
			return model.StorageFull()
		}
		added, err = rowChanged(tx.idb.NewUpdate().Model(made).Set("key = ?", made.Key).Set("bytes = ?", made.Bytes).
			Set("ends_at = now() + ? * interval '1 second'", formatAge.Seconds()).WherePK().Where("key IS NULL").Exec(ctx))
		return err
	})
	return added, err
}

// SetFormatFailure stores why a file cannot be had in another format.
func (db Files) SetFormatFailure(ctx context.Context, file *model.File, format model.ConversionTarget, reason string) error {
	_, err := db.idb.NewUpdate().Model((*model.FormatDownload)(nil)).Set("failure = ?", reason).
		Where("resource_key = ? AND format = ? AND key IS NULL", file.ResourceKey, format).Exec(ctx)
	return translate(err)
}

// PurgeFormats deletes up to limit rows of formats that are no longer kept.
func (db Files) PurgeFormats(ctx context.Context, limit int) (int, error) {
	result, err := db.idb.NewRaw(`DELETE FROM format_downloads WHERE (resource_key, format) IN (
		SELECT resource_key, format FROM format_downloads WHERE ends_at <= now() LIMIT ?)`, limit).Exec(ctx)
	if err != nil {
		return 0, translate(err)
	}
	n, err := result.RowsAffected()
	return int(n), err
}
