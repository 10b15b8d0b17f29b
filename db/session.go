package db

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"
)

// SessionAccess is what a session gave at one moment: access to a version of an
// account. It is valid until the session or that version ends.
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
func (db *DB) Session(ctx context.Context, token string) ([]byte, bool, error) {
	var data []byte
	err := db.idb.NewRaw("SELECT data FROM sessions WHERE token = ? AND ended_at IS NULL AND expires_at > now()", token).
		Scan(ctx, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return data, err == nil, translate(err)
}

// SaveSession stores or replaces the data of the session. The time from now until expires
// is measured by the clock of the database, which all replicas share. A session that has
// ended stays ended.
func (db *DB) SaveSession(ctx context.Context, token string, data []byte, expires time.Time) error {
	_, err := db.idb.ExecContext(ctx, `
		INSERT INTO sessions (token, data, expires_at) VALUES (?, ?, now() + ? * interval '1 second')
		ON CONFLICT (token) DO UPDATE SET data = EXCLUDED.data, expires_at = EXCLUDED.expires_at
		WHERE sessions.ended_at IS NULL`,
		token, data, time.Until(expires).Seconds())
	return translate(err)
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
			OR NOT EXISTS (SELECT FROM users
				WHERE users.id = watched.user_id AND users.access_version = watched.version)`,
		pgdialect.Array(tokens), pgdialect.Array(users), pgdialect.Array(versions)).Scan(ctx, &invalid)
	return invalid, translate(err)
}
