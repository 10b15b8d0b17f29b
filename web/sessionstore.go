package web

import (
	"context"
	"fmt"
	"time"

	"github.com/alexedwards/scs/v2"

	"portico/db"
)

// sessionStore stores sessions in our database. The Postgres store of scs does not accept a context
// and does not use our logger.
type sessionStore struct{ db *db.DB }

// FindCtx implements scs.CtxStore. The token is the hash of the token in the cookie.
func (s sessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	return s.db.SignIns().Session(ctx, token)
}

// CommitCtx implements scs.CtxStore.
func (s sessionStore) CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error {
	stored := db.BrowserSession{Token: token, Data: data, Expires: expires}
	_, values, err := scs.GobCodec{}.Decode(data)
	if err != nil {
		return fmt.Errorf("read a session: %w", err)
	}
	if version, ok := values[sessionVersion].(int64); ok {
		stored.UserID, _ = values[sessionUser].(string)
		stored.Version = version
	}
	return s.db.SignIns().SaveSession(ctx, stored)
}

// DeleteCtx implements scs.CtxStore. The session stays ended, even if another request saves it
// again.
func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	return s.db.SignIns().EndSession(ctx, token)
}

// Find implements scs.Store. scs does not call it, because it prefers scs.CtxStore.
func (s sessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit implements scs.Store. scs does not call it.
func (s sessionStore) Commit(token string, data []byte, expires time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expires)
}

// Delete implements scs.Store. scs does not call it.
func (s sessionStore) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }
