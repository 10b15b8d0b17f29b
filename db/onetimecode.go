package db

import (
	"context"
	"database/sql"
	"errors"

	"portico/model"
)

// OneTimeSecret is the stored secret of an account's one-time codes.
//
// Sealed is encrypted with the server's secret, because the codes cannot be computed from a hash of
// it.
type OneTimeSecret struct {
	Sealed    []byte
	Confirmed bool
}

// OneTimeSecret returns the secret of the account's one-time codes, or nil.
func (db *DB) OneTimeSecret(ctx context.Context, userID string) (*OneTimeSecret, error) {
	secret := new(OneTimeSecret)
	err := db.idb.NewRaw("SELECT sealed, confirmed_at IS NOT NULL AS confirmed FROM one_time_codes WHERE "+belongsTo("?"), userID).
		Scan(ctx, &secret.Sealed, &secret.Confirmed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return secret, translate(err)
}

// OneTimeCodes returns the state of the account's one-time codes, or nil if the account does not
// require codes.
func (db *DB) OneTimeCodes(ctx context.Context, userID string) (*model.OneTimeCodes, error) {
	codes := new(model.OneTimeCodes)
	err := db.idb.NewRaw(`SELECT confirmed_at, (SELECT count(*) FROM recovery_codes AS r WHERE r.user_id = c.user_id)
		FROM one_time_codes AS c WHERE `+belongsTo("?")+` AND confirmed_at IS NOT NULL`, userID).
		Scan(ctx, &codes.EnabledAt, &codes.RecoveryCodesLeft)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return codes, translate(err)
}

// StartOneTimeCodes stores a secret that is not confirmed yet. It refuses an account that asks
// for codes already.
//
// A second start replaces the secret of the first: a person may close the page with the QR code.
func (db *DB) StartOneTimeCodes(ctx context.Context, userID string, sealed []byte) error {
	stored, err := rowChanged(db.idb.ExecContext(ctx, `
		INSERT INTO one_time_codes (user_id, sealed) VALUES (?, ?)
		ON CONFLICT (user_id) DO UPDATE SET sealed = EXCLUDED.sealed, last_step = 0
		WHERE one_time_codes.confirmed_at IS NULL`, userID, sealed))
	if err == nil && !stored {
		err = &model.Error{Code: model.CodeConflict, Message: model.OneTimeCodesOn}
	}
	return err
}

// ConfirmOneTimeCodes turns the codes on after the first correct code, and stores the hashes of the
// recovery codes. Sealed is the secret of that code. If another request has confirmed or replaced
// the secret in the meantime, ConfirmOneTimeCodes changes nothing and reports false.
func (db *DB) ConfirmOneTimeCodes(ctx context.Context, userID string, sealed []byte, step int64, recovery [][]byte) (on bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		on, err = rowChanged(tx.idb.ExecContext(ctx, `UPDATE one_time_codes SET confirmed_at = now(), last_step = ?
			WHERE `+belongsTo("?")+` AND sealed = ? AND confirmed_at IS NULL`, step, userID, sealed))
		if err != nil || !on {
			return err
		}
		for _, hash := range recovery {
			_, err := tx.idb.ExecContext(ctx, "INSERT INTO recovery_codes (user_id, hash) VALUES (?, ?)", userID, hash)
			if err != nil {
				return translate(err)
			}
		}
		return tx.record(ctx, model.EventCodesEnabled, userID, "", "")
	})
	return on, err
}

// UseOneTimeStep uses up the step of a code, and reports false if that or a later step was used
// before.
//
// RFC 6238 section 5.2: a code must not be accepted twice. The comparison and the write are one
// statement, so of two requests with one code one succeeds.
func (db *DB) UseOneTimeStep(ctx context.Context, userID string, step int64) (bool, error) {
	return rowChanged(db.idb.ExecContext(ctx,
		"UPDATE one_time_codes SET last_step = ? WHERE "+belongsTo("?")+" AND confirmed_at IS NOT NULL AND last_step < ?", step, userID, step))
}

// UseRecoveryCode uses up a recovery code, and reports whether the account had it.
//
// The row is deleted, so each code works once. The codes have enough random bits that a hash
// without salt protects them.
func (db *DB) UseRecoveryCode(ctx context.Context, userID string, hash []byte) (used bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		used, err = rowChanged(tx.idb.ExecContext(ctx, "DELETE FROM recovery_codes WHERE "+belongsTo("?")+" AND hash = ?", userID, hash))
		if err != nil || !used {
			return err
		}
		return tx.record(ctx, model.EventRecoveryCodeUsed, userID, "", "")
	})
	return used, err
}

// EndOneTimeCodes turns the codes off, and reports whether they were on.
func (db *DB) EndOneTimeCodes(ctx context.Context, userID string) (ended bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		ended, err = rowChanged(tx.idb.ExecContext(ctx, "DELETE FROM one_time_codes WHERE "+belongsTo("?")+" AND confirmed_at IS NOT NULL", userID))
		if err != nil || !ended {
			return err
		}
		return tx.record(ctx, model.EventCodesDisabled, userID, "", "")
	})
	return ended, err
}
