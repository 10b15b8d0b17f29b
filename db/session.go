package db

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Session returns the data of the browser session; false when there is none, it
// has ended or it has expired. The token is the hash of what the cookie holds.
func (db *DB) Session(ctx context.Context, token string) ([]byte, bool, error) {
	var data []byte
	err := db.idb.NewRaw("SELECT data FROM sessions WHERE token = ? AND ended_at IS NULL AND expires_at > now()", token).
		Scan(ctx, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return data, err == nil, translate(err)
}

// SaveSession stores the session, in place of what it held before. It lives as long
// as it has from now on to the moment, by the clock of the database, which all
// replicas share. A session that has ended stays so.
func (db *DB) SaveSession(ctx context.Context, token string, data []byte, expires time.Time) error {
	_, err := db.idb.ExecContext(ctx, `
		INSERT INTO sessions (token, data, expires_at) VALUES (?, ?, now() + ? * interval '1 second')
		ON CONFLICT (token) DO UPDATE SET data = EXCLUDED.data, expires_at = EXCLUDED.expires_at
		WHERE sessions.ended_at IS NULL`,
		token, data, time.Until(expires).Seconds())
	return translate(err)
}

// EndSession ends the session for good; it need not be there. Its row stays until
// PurgeSignIns finds it expired: a request that still runs may store it again.
func (db *DB) EndSession(ctx context.Context, token string) error {
	_, err := db.idb.ExecContext(ctx, "UPDATE sessions SET data = '', ended_at = now() WHERE token = ?", token)
	return translate(err)
}
