package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// AddIdentity links the account to the subject of an OpenID Connect provider. It refuses
// a subject that is linked to another account, and an account that is linked to another
// subject.
//
// Both rules are unique keys: the primary key (issuer, subject) and identities_user_key. The insert
// decides, so two sign-ins at the same time link one subject.
func (db SignIns) AddIdentity(ctx context.Context, issuer, subject, userID string) error {
	linked := false
	err := db.InTx(ctx, func(tx *DB) (err error) {
		linked, err = rowChanged(tx.idb.ExecContext(ctx,
			"INSERT INTO identities (issuer, subject, user_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
			issuer, subject, userID))
		if err != nil || !linked {
			return err
		}
		return tx.Audit().record(ctx, model.EventIdentityLinked, userID, "", issuer)
	})
	if err != nil || linked {
		return err
	}
	user, err := db.UserByIdentity(ctx, issuer, subject)
	switch {
	case model.CodeOf(err) == model.CodeNotFound: // the account is linked to another subject of this provider
		return model.RefusedSignIn(model.EventReasonOtherIdentity)
	case err != nil:
		return err
	case user.ID != userID:
		return model.RefusedSignIn(model.EventReasonIdentityTaken)
	}
	return nil // linked already
}

// UserByIdentity returns the account that is linked to the provider's subject.
func (db SignIns) UserByIdentity(ctx context.Context, issuer, subject string) (*model.User, error) {
	user := new(model.User)
	err := db.idb.NewSelect().Model(user).
		Where("id = (SELECT user_id FROM identities WHERE issuer = ? AND subject = ?)", issuer, subject).Scan(ctx)
	return user, translateNotFound(err, model.UserNotFound)
}

// MarkEmailUnproven records that the user's e-mail address is not verified.
//
// The record decides in ResetPassword whether somebody else may have set up the other ways to sign
// in.
func (db SignIns) MarkEmailUnproven(ctx context.Context, userID string) error {
	_, err := db.idb.ExecContext(ctx, "INSERT INTO unproven_emails (user_id) VALUES (?) ON CONFLICT DO NOTHING", userID)
	return translate(err)
}

// ClearEmailUnproven deletes the record of MarkEmailUnproven, because the address was verified or
// the account is reset, and reports whether there was one.
func (db SignIns) ClearEmailUnproven(ctx context.Context, userID string) (bool, error) {
	return rowChanged(db.idb.ExecContext(ctx, "DELETE FROM unproven_emails WHERE "+belongsTo("?"), userID))
}

// Identities returns the identities that the account is linked to.
func (db SignIns) Identities(ctx context.Context, userID string) ([]*model.Identity, error) {
	var identities []*model.Identity
	err := db.idb.NewRaw("SELECT issuer, created_at AS connected_at FROM identities WHERE "+belongsTo("?")+" ORDER BY issuer",
		userID).Scan(ctx, &identities)
	return identities, translate(err)
}

// RemoveIdentity unlinks the account from a provider. It refuses the last way to sign in.
//
// The lock on the account makes two removals run one after the other, so that together they cannot
// remove the last two identities. Passkeys do not count as a way to sign in.
func (db SignIns) RemoveIdentity(ctx context.Context, userID, issuer string) error {
	return db.InTx(ctx, func(tx *DB) error {
		user, err := tx.Accounts().LockUser(ctx, userID)
		if err != nil {
			return err
		}
		removed, err := rowChanged(tx.idb.ExecContext(ctx, "DELETE FROM identities WHERE "+belongsTo("?")+" AND issuer = ?", userID, issuer))
		if err != nil {
			return err
		}
		if !removed {
			return model.NotFound(model.IdentityNotFound)
		}
		left, err := tx.SignIns().Identities(ctx, userID)
		if err != nil {
			return err
		}
		if user.PasswordHash == "" && len(left) == 0 {
			return (&model.Error{
				Code: model.CodeConflict, Message: "This is the only way to sign in. Set a password first",
			}).WithReason(model.ReasonLastSignIn)
		}
		return tx.Audit().record(ctx, model.EventIdentityUnlinked, userID, "", issuer)
	})
}

// OneTimeSecret is the stored secret of an account's one-time codes.
//
// Sealed is encrypted with the server's secret, because the codes cannot be computed from a hash of
// it.
type OneTimeSecret struct {
	Sealed    []byte
	Confirmed bool
}

// OneTimeSecret returns the secret of the account's one-time codes, or nil.
func (db SignIns) OneTimeSecret(ctx context.Context, userID string) (*OneTimeSecret, error) {
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
func (db SignIns) OneTimeCodes(ctx context.Context, userID string) (*model.OneTimeCodes, error) {
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
func (db SignIns) StartOneTimeCodes(ctx context.Context, userID string, sealed []byte) error {
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
func (db SignIns) ConfirmOneTimeCodes(ctx context.Context, userID string, sealed []byte, step int64, recovery [][]byte) (on bool, err error) {
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
		return tx.Audit().record(ctx, model.EventCodesEnabled, userID, "", "")
	})
	return on, err
}

// UseOneTimeStep uses up the step of a code, and reports false if that or a later step was used
// before.
//
// RFC 6238 section 5.2: a code must not be accepted twice. The comparison and the write are one
// statement, so of two requests with one code one succeeds.
func (db SignIns) UseOneTimeStep(ctx context.Context, userID string, step int64) (bool, error) {
	return rowChanged(db.idb.ExecContext(ctx,
		"UPDATE one_time_codes SET last_step = ? WHERE "+belongsTo("?")+" AND confirmed_at IS NOT NULL AND last_step < ?", step, userID, step))
}

// UseRecoveryCode uses up a recovery code, and reports whether the account had it.
//
// The row is deleted, so each code works once. The codes have enough random bits that a hash
// without salt protects them.
func (db SignIns) UseRecoveryCode(ctx context.Context, userID string, hash []byte) (used bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		used, err = rowChanged(tx.idb.ExecContext(ctx, "DELETE FROM recovery_codes WHERE "+belongsTo("?")+" AND hash = ?", userID, hash))
		if err != nil || !used {
			return err
		}
		return tx.Audit().record(ctx, model.EventRecoveryCodeUsed, userID, "", "")
	})
	return used, err
}

// EndOneTimeCodes turns the codes off, and reports whether they were on.
func (db SignIns) EndOneTimeCodes(ctx context.Context, userID string) (ended bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		ended, err = rowChanged(tx.idb.ExecContext(ctx, "DELETE FROM one_time_codes WHERE "+belongsTo("?")+" AND confirmed_at IS NOT NULL", userID))
		if err != nil || !ended {
			return err
		}
		return tx.Audit().record(ctx, model.EventCodesDisabled, userID, "", "")
	})
	return ended, err
}

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
func (db SignIns) AddChallenge(ctx context.Context, hash []byte, userID string, session json.RawMessage, valid time.Duration) error {
	_, err := db.idb.ExecContext(ctx, `INSERT INTO passkey_challenges (hash, user_id, session, expires_at)
		VALUES (?, nullif(?, ''), ?, now() + ? * interval '1 second')`, hash, userID, string(session), valid.Seconds())
	return translate(err)
}

// RedeemChallenge removes a challenge of the account, "" for a sign-in, and returns its state.
//
// It is deleted before the browser's answer is verified, so a failed ceremony needs a new one.
func (db SignIns) RedeemChallenge(ctx context.Context, hash []byte, userID string) (json.RawMessage, error) {
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
func (db SignIns) AddPasskey(ctx context.Context, p *Passkey) error {
	return db.InTx(ctx, func(tx *DB) error {
		if _, err := tx.Accounts().LockUser(ctx, p.UserID); err != nil {
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
		return tx.Audit().record(ctx, model.EventPasskeyAdded, p.UserID, p.ID, p.Name)
	})
}

// Passkeys returns the passkeys of the account with their credentials, oldest first.
func (db SignIns) Passkeys(ctx context.Context, userID string) ([]*Passkey, error) {
	var found []*Passkey
	err := db.idb.NewRaw(`SELECT id, user_id, credential_id, credential, name, created_at, used_at
		FROM passkeys WHERE `+belongsTo("?")+` ORDER BY created_at, id`, userID).Scan(ctx, &found)
	return found, translate(err)
}

// UsePasskey records a sign-in with the passkey, and stores its new state.
//
// The credential contains the signature counter, by which a copied authenticator is noticed.
func (db SignIns) UsePasskey(ctx context.Context, userID string, credentialID []byte, credential json.RawMessage) (bool, error) {
	return rowChanged(db.idb.ExecContext(ctx, "UPDATE passkeys SET used_at = now(), credential = ? WHERE "+belongsTo("?")+" AND credential_id = ?",
		string(credential), userID, credentialID))
}

// RemovePasskey removes a passkey of the account and records it in the audit trail. It returns
// model.PasskeyNotFound for an unknown id.
func (db SignIns) RemovePasskey(ctx context.Context, userID, id string) error {
	return db.InTx(ctx, func(tx *DB) error {
		var name string
		err := tx.idb.NewRaw("DELETE FROM passkeys WHERE "+belongsTo("?")+" AND id = ? RETURNING name", userID, id).Scan(ctx, &name)
		if err != nil {
			return translateNotFound(err, model.PasskeyNotFound)
		}
		return tx.Audit().record(ctx, model.EventPasskeyRemoved, userID, id, name)
	})
}

// RemoveFactors removes the passkeys and the one-time codes of the account, which another person
// may have set up.
func (db SignIns) RemoveFactors(ctx context.Context, userID string) error {
	for _, table := range []string{"passkeys", "one_time_codes"} {
		if _, err := db.idb.ExecContext(ctx, "DELETE FROM "+table+" WHERE "+belongsTo("?"), userID); err != nil {
			return translate(err)
		}
	}
	return nil
}

// SessionAccess is the access of a session at one time: to a version of an account. It is valid
// until the session ends or the account gets a new version.
type SessionAccess struct {
	// Token is the hash by which Session finds the session.
	Token string
	// UserID is the account that was signed in.
	UserID string
	// Version is the AccessVersion that the account had.
	Version int64
}

// Session returns the data of the browser session; false when it does not exist, has ended
// or has expired. The token is the hash of the cookie's value.
//
// It does not compare the access version, which is in the data: package web compares it with the
// account.
func (db SignIns) Session(ctx context.Context, token string) ([]byte, bool, error) {
	var data []byte
	var seenLongAgo bool
	err := db.idb.NewRaw("SELECT data, seen_at < now() - interval '"+seenInterval+`' FROM sessions
		WHERE token = ? AND ended_at IS NULL AND expires_at > now()`, token).Scan(ctx, &data, &seenLongAgo)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, translate(err)
	}
	if seenLongAgo {
		err = db.updateSeen(ctx, token)
	}
	return data, err == nil, err
}

// seenInterval is the interval at which the time and the network of a session are written.
const seenInterval = "5 minutes"

// updateSeen records that the session was used now, from the origin of ctx.
func (db SignIns) updateSeen(ctx context.Context, token string) error {
	origin := model.OriginFrom(ctx)
	_, err := db.idb.ExecContext(ctx, "UPDATE sessions SET seen_at = now(), network = ?, user_agent = ? WHERE token = ?",
		model.Network(origin.Address), model.UserAgent(origin.UserAgent), token)
	return translate(err)
}

// BrowserSession is a session as SaveSession stores it, with the account that is signed in.
type BrowserSession struct {
	Token   string // the hash of the cookie's value
	Data    []byte
	Expires time.Time
	// UserID is the account that is signed in; empty for none.
	UserID string
	// Version is the AccessVersion of the account that the session is valid for.
	Version int64
}

// SaveSession stores or replaces a session. The time from now until it expires
// is measured by the clock of the database, which all replicas share. A session that has
// ended stays ended. The streams of an earlier access version end. A new session of an account that
// has maxSessions removes the one that was not used for longest.
//
// first_version is the version at which the session signed in. A stream of an earlier version, by
// another sign-in in the same browser, is not valid any more.
func (db SignIns) SaveSession(ctx context.Context, s BrowserSession) error {
	origin := model.OriginFrom(ctx)
	var added []bool
	err := db.idb.NewRaw(`
		INSERT INTO sessions (token, data, expires_at, user_id, access_version, first_version, user_agent, network)
		VALUES (?, ?, now() + ? * interval '1 second', nullif(?, ''), ?, ?, ?, ?)
		ON CONFLICT (token) DO UPDATE SET data = EXCLUDED.data, expires_at = EXCLUDED.expires_at,
			user_id = EXCLUDED.user_id, access_version = EXCLUDED.access_version,
			first_version = CASE sessions.access_version WHEN EXCLUDED.access_version
				THEN sessions.first_version ELSE EXCLUDED.first_version END
		WHERE sessions.ended_at IS NULL RETURNING xmax = 0`, // the row is new
		s.Token, s.Data, time.Until(s.Expires).Seconds(), s.UserID, s.Version, s.Version,
		model.UserAgent(origin.UserAgent), model.Network(origin.Address)).Scan(ctx, &added)
	if err != nil || s.UserID == "" || len(added) == 0 || !added[0] {
		return translate(err)
	}
	return db.trimSessions(ctx, s.UserID)
}

// maxSessions is the maximum number of sessions of an account. SessionsOf returns all of them.
const maxSessions = 100

// trimSessions removes the sessions of the account that are too many, the ones that were not used
// for longest. Their rows go at once, as there may be many.
func (db SignIns) trimSessions(ctx context.Context, userID string) error {
	removed, err := rowChanged(db.idb.ExecContext(ctx, `
		DELETE FROM sessions WHERE token IN (
			SELECT token FROM sessions WHERE `+belongsTo("?")+` AND ended_at IS NULL ORDER BY seen_at DESC, id OFFSET ?
			FOR UPDATE SKIP LOCKED)`, userID, maxSessions))
	if removed {
		db.Announce(TopicRevoked)
	}
	return err
}

// SetSessionData stores the data of a session. It reports whether the session had neither ended nor
// expired.
func (db SignIns) SetSessionData(ctx context.Context, token string, data []byte) (bool, error) {
	return rowChanged(db.idb.ExecContext(ctx,
		"UPDATE sessions SET data = ? WHERE token = ? AND ended_at IS NULL AND expires_at > now()", data, token))
}

// MoveSession gives the session a new token and makes it valid for a version of its account. Its
// open streams end, because somebody else may have opened them with a copy of the old token. The
// time of the sign-in stays: a new token proves nothing. It reports whether the session had neither
// ended nor expired.
func (db SignIns) MoveSession(ctx context.Context, token string, moved BrowserSession) (bool, error) {
	found, err := rowChanged(db.idb.ExecContext(ctx, `
		UPDATE sessions SET token = ?, data = ?, access_version = ?, first_version = ?
		WHERE token = ? AND ended_at IS NULL AND expires_at > now()`, moved.Token, moved.Data, moved.Version, moved.Version, token))
	if found {
		db.Announce(TopicRevoked)
	}
	return found, err
}

// SessionsOf returns the valid sessions of the account, the most recently used first.
// Current is the token of the caller's session, empty for none.
func (db SignIns) SessionsOf(ctx context.Context, userID, current string) ([]*model.Session, error) {
	var sessions []*model.Session
	err := db.idb.NewRaw(`
		SELECT sessions.id, token = ? AS current, user_agent, network, sessions.created_at, seen_at, expires_at
		FROM sessions JOIN users ON users.id = user_id AND users.access_version = sessions.access_version
		WHERE `+belongsTo("?")+` AND ended_at IS NULL AND expires_at > now()
		ORDER BY seen_at DESC, sessions.id LIMIT ?`, current, userID, maxSessions).Scan(ctx, &sessions)
	return sessions, translate(err)
}

// SignedInWithin reports whether the session was created, signed in, less than age ago.
func (db SignIns) SignedInWithin(ctx context.Context, token string, age time.Duration) (bool, error) {
	var recent bool
	err := db.idb.NewRaw(`SELECT EXISTS (SELECT FROM sessions
		WHERE token = ? AND user_id IS NOT NULL AND ended_at IS NULL AND created_at > now() - ? * interval '1 second')`,
		token, age.Seconds()).Scan(ctx, &recent)
	return recent, translate(err)
}

// EndSessionOf ends a session of the account by its id, and reports whether there was one.
//
// The data is emptied at once, since the row stays until it expires.
func (db SignIns) EndSessionOf(ctx context.Context, userID, id string) (ended bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		ended, err = rowChanged(tx.idb.ExecContext(ctx,
			"UPDATE sessions SET data = '', ended_at = now() WHERE "+belongsTo("?")+" AND id = ? AND ended_at IS NULL", userID, id))
		if err != nil || !ended {
			return err
		}
		tx.Announce(TopicRevoked)
		return tx.Audit().record(ctx, model.EventSessionsEnded, userID, id, "")
	})
	return ended, err
}

// EndSession ends the session permanently; it need not exist. Its row stays until
// PurgeSignIns finds it expired, because a concurrent request may save it again.
func (db SignIns) EndSession(ctx context.Context, token string) error {
	_, err := db.idb.ExecContext(ctx, "UPDATE sessions SET data = '', ended_at = now() WHERE token = ?", token)
	if err == nil {
		db.Announce(TopicRevoked)
	}
	return translate(err)
}

// InvalidSessions returns the elements of the list that are not valid any more.
func (db SignIns) InvalidSessions(ctx context.Context, watched []SessionAccess) ([]SessionAccess, error) {
	tokens, users, versions := make([]string, len(watched)), make([]string, len(watched)), make([]int64, len(watched))
	for i, access := range watched {
		tokens[i], users[i], versions[i] = access.Token, access.UserID, access.Version
	}
	var invalid []SessionAccess
	err := db.idb.NewRaw(`
		SELECT token, user_id, version
		FROM unnest(?::text[], ?::text[], ?::bigint[]) AS watched (token, user_id, version)
		WHERE NOT EXISTS (SELECT FROM sessions
				WHERE sessions.token = watched.token AND ended_at IS NULL AND expires_at > now())
			OR NOT EXISTS (SELECT FROM users LEFT JOIN sessions ON sessions.token = watched.token AND sessions.user_id = users.id
				WHERE users.id = watched.user_id AND users.access_version = coalesce(sessions.access_version, watched.version)
					AND watched.version >= coalesce(sessions.first_version, watched.version))`,
		pgdialect.Array(tokens), pgdialect.Array(users), pgdialect.Array(versions)).Scan(ctx, &invalid)
	return invalid, translate(err)
}
