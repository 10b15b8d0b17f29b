package db

import (
	"context"
	"time"

	"portico/model"
)

// removal is an object, or a folder, that no row speaks for any more.
type removal struct {
	Key   string `bun:",pk"`
	DueAt model.Time
}

// AddRemovals writes down objects, or folders (keys that end in a slash), which
// no row speaks for once this transaction is committed. From due on nobody
// writes there any more: as long from now on by the database's clock, which is the
// one that Removals goes by, and not before due where that clock is ahead.
func (db *DB) AddRemovals(ctx context.Context, due time.Time, keys ...string) error {
	if len(keys) == 0 {
		return nil
	}
	rows := make([]removal, len(keys))
	for i, key := range keys {
		rows[i] = removal{Key: key}
	}
	_, err := db.idb.NewInsert().Model(&rows).
		Value("due_at", "greatest(?, now() + ? * interval '1 second')", due.UTC(), time.Until(due).Seconds()).
		On("CONFLICT (key) DO UPDATE").Set("due_at = greatest(removal.due_at, EXCLUDED.due_at)").Exec(ctx)
	return translate(err)
}

// Removals returns up to limit keys that are due for removal, the longest first.
func (db *DB) Removals(ctx context.Context, limit int) ([]string, error) {
	var keys []string
	err := db.idb.NewSelect().Model((*removal)(nil)).Column("key").Where("due_at <= now()").
		Order("due_at").Limit(int64(limit)).Scan(ctx, &keys)
	return keys, translate(err)
}

// Removed strikes out what is gone from the store, once it was due: before that
// it may come back and stays written down.
func (db *DB) Removed(ctx context.Context, key string) error {
	_, err := db.idb.NewDelete().Model((*removal)(nil)).
		Where("key = ? AND due_at <= now()", key).Exec(ctx)
	return translate(err)
}
