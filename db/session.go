package db

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

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
func (db *DB) Session(ctx context.Context, token string) ([]byte, bool, error) {
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
func (db *DB) updateSeen(ctx context.Context, token string) error {
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
func (db *DB) SaveSession(ctx context.Context, s BrowserSession) error {
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
func (db *DB) trimSessions(ctx context.Context, userID string) error {
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
func (db *DB) SetSessionData(ctx context.Context, token string, data []byte) (bool, error) {
	return rowChanged(db.idb.ExecContext(ctx,
		"UPDATE sessions SET data = ? WHERE token = ? AND ended_at IS NULL AND expires_at > now()", data, token))
}

// MoveSession gives the session a new token and makes it valid for a version of its account. Its
// open streams end, because somebody else may have opened them with a copy of the old token. The
// time of the sign-in stays: a new token proves nothing. It reports whether the session had neither
// ended nor expired.
func (db *DB) MoveSession(ctx context.Context, token string, moved BrowserSession) (bool, error) {
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
func (db *DB) SessionsOf(ctx context.Context, userID, current string) ([]*model.Session, error) {
	var sessions []*model.Session
	err := db.idb.NewRaw(`
		SELECT sessions.id, token = ? AS current, user_agent, network, sessions.created_at, seen_at, expires_at
		FROM sessions JOIN users ON users.id = user_id AND users.access_version = sessions.access_version
		WHERE `+belongsTo("?")+` AND ended_at IS NULL AND expires_at > now()
		ORDER BY seen_at DESC, sessions.id LIMIT ?`, current, userID, maxSessions).Scan(ctx, &sessions)
	return sessions, translate(err)
}

// SignedInWithin reports whether the session was created, signed in, less than age ago.
func (db *DB) SignedInWithin(ctx context.Context, token string, age time.Duration) (bool, error) {
	var recent bool
	err := db.idb.NewRaw(`SELECT EXISTS (SELECT FROM sessions
		WHERE token = ? AND user_id IS NOT NULL AND ended_at IS NULL AND created_at > now() - ? * interval '1 second')`,
		token, age.Seconds()).Scan(ctx, &recent)
	return recent, translate(err)
}

// EndSessionOf ends a session of the account by its id, and reports whether there was one.
//
// The data is emptied at once, since the row stays until it expires.
func (db *DB) EndSessionOf(ctx context.Context, userID, id string) (ended bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		ended, err = rowChanged(tx.idb.ExecContext(ctx,
			"UPDATE sessions SET data = '', ended_at = now() WHERE "+belongsTo("?")+" AND id = ? AND ended_at IS NULL", userID, id))
		if err != nil || !ended {
			return err
		}
		tx.Announce(TopicRevoked)
		return tx.record(ctx, model.EventSessionsEnded, userID, id, "")
	})
	return ended, err
}

// EndSession ends the session permanently; it need not exist. Its row stays until
// PurgeSignIns finds it expired, because a concurrent request may save it again.
func (db *DB) EndSession(ctx context.Context, token string) error {
	_, err := db.idb.ExecContext(ctx, "UPDATE sessions SET data = '', ended_at = now() WHERE token = ?", token)
	if err == nil {
		db.Announce(TopicRevoked)
	}
	return translate(err)
}

// InvalidSessions returns the elements of the list that are not valid any more.
func (db *DB) InvalidSessions(ctx context.Context, watched []SessionAccess) ([]SessionAccess, error) {
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
