package db

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Session returns the data of the browser session; false when there is none or
// it has expired. The token is the hash of what the cookie holds.
func (db *DB) Session(ctx context.Context, token string) ([]byte, bool, error) {
	var data []byte
	err := db.idb.NewRaw("SELECT data FROM sessions WHERE token = ? AND expires_at > now()", token).
		Scan(ctx, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return data, err == nil, translate(err)
}

// SaveSession stores the session, in place of what it held before. It lives as long
// as it has from now on to the moment, by the clock of the database, which all
// replicas share.
func (db *DB) SaveSession(ctx context.Context, token string, data []byte, expires time.Time) error {
	_, err := db.idb.ExecContext(ctx, `
		INSERT INTO sessions (token, data, expires_at) VALUES (?, ?, now() + ? * interval '1 second')
		ON CONFLICT (token) DO UPDATE SET data = EXCLUDED.data, expires_at = EXCLUDED.expires_at`,
		token, data, time.Until(expires).Seconds())
	return translate(err)
}

// DeleteSession ends the session; it need not be there.
func (db *DB) DeleteSession(ctx context.Context, token string) error {
	_, err := db.idb.ExecContext(ctx, "DELETE FROM sessions WHERE token = ?", token)
	return translate(err)
}
