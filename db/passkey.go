package db

import (
	"context"
	"encoding/json"
	"time"

	"portico/model"
)

// Passkey is a passkey with the Credential of package webauthn, as JSON. CredentialID is the id by
// which a browser names it.
type Passkey struct {
	model.Passkey
	UserID       string
	CredentialID []byte
	Credential   json.RawMessage
}

// AddChallenge stores a challenge with the state of its ceremony. UserID is the account that
// gets the passkey, "" for a sign-in.
//
// WebAuthn (section 13.4.3) requires that a challenge is random and used once. The row makes it
// usable once in all replicas together.
func (db *DB) AddChallenge(ctx context.Context, hash []byte, userID string, session json.RawMessage, valid time.Duration) error {
	_, err := db.idb.ExecContext(ctx, `INSERT INTO passkey_challenges (hash, user_id, session, expires_at)
		VALUES (?, nullif(?, ''), ?, now() + ? * interval '1 second')`, hash, userID, string(session), valid.Seconds())
	return translate(err)
}

// RedeemChallenge removes a challenge of the account, "" for a sign-in, and returns its state.
//
// It is deleted before the browser's answer is verified, so a failed ceremony needs a new one.
func (db *DB) RedeemChallenge(ctx context.Context, hash []byte, userID string) (json.RawMessage, error) {
	var session []byte
	err := db.idb.NewRaw(`DELETE FROM passkey_challenges
		WHERE hash = ? AND user_id IS NOT DISTINCT FROM nullif(?, '') AND expires_at > now() RETURNING session`,
		hash, userID).Scan(ctx, &session)
	return session, translateNotFound(err, "The passkey took too long. Try again")
}

// AddPasskey stores a passkey. It refuses one that is stored already, and too many.
//
// The lock on the account makes the count exact. A credential belongs to one account on this
// server.
func (db *DB) AddPasskey(ctx context.Context, p *Passkey) error {
	return db.InTx(ctx, func(tx *DB) error {
		if _, err := tx.LockUser(ctx, p.UserID); err != nil {
			return err
		}
		var count int
		if err := tx.idb.NewRaw("SELECT count(*) FROM passkeys WHERE "+belongsTo("?"), p.UserID).Scan(ctx, &count); err != nil {
			return translate(err)
		}
		if count >= model.MaxPasskeys {
			return model.Invalidf("The account has too many passkeys. Remove one first")
		}
		_, err := tx.idb.ExecContext(ctx, "INSERT INTO passkeys (id, user_id, credential_id, credential, name) VALUES (?, ?, ?, ?, ?)",
			p.ID, p.UserID, p.CredentialID, string(p.Credential), p.Name)
		if err != nil {
			return translate(err)
		}
		return tx.record(ctx, model.EventPasskeyAdded, p.UserID, p.ID, p.Name)
	})
}

// Passkeys returns the passkeys of the account with their credentials, oldest first.
func (db *DB) Passkeys(ctx context.Context, userID string) ([]*Passkey, error) {
	var found []*Passkey
	err := db.idb.NewRaw(`SELECT id, user_id, credential_id, credential, name, created_at, used_at
		FROM passkeys WHERE `+belongsTo("?")+` ORDER BY created_at, id`, userID).Scan(ctx, &found)
	return found, translate(err)
}

// UsePasskey records a sign-in with the passkey, and stores its new state.
//
// The credential contains the signature counter, by which a copied authenticator is noticed.
func (db *DB) UsePasskey(ctx context.Context, userID string, credentialID []byte, credential json.RawMessage) (bool, error) {
	return rowChanged(db.idb.ExecContext(ctx, "UPDATE passkeys SET used_at = now(), credential = ? WHERE "+belongsTo("?")+" AND credential_id = ?",
		string(credential), userID, credentialID))
}

// RemovePasskey removes a passkey of the account and records it in the audit trail. It returns
// model.PasskeyNotFound for an unknown id.
func (db *DB) RemovePasskey(ctx context.Context, userID, id string) error {
	return db.InTx(ctx, func(tx *DB) error {
		var name string
		err := tx.idb.NewRaw("DELETE FROM passkeys WHERE "+belongsTo("?")+" AND id = ? RETURNING name", userID, id).Scan(ctx, &name)
		if err != nil {
			return translateNotFound(err, model.PasskeyNotFound)
		}
		return tx.record(ctx, model.EventPasskeyRemoved, userID, id, name)
	})
}

// RemoveFactors removes the passkeys and the one-time codes of the account, which another person
// may have set up.
func (db *DB) RemoveFactors(ctx context.Context, userID string) error {
	for _, table := range []string{"passkeys", "one_time_codes"} {
		if _, err := db.idb.ExecContext(ctx, "DELETE FROM "+table+" WHERE "+belongsTo("?"), userID); err != nil {
			return translate(err)
		}
	}
	return nil
}
