package db

import (
	"context"

	"portico/model"
)

// SitemapParts divides the Public spaces, in the order of their creation, into parts of this
// size, and returns the sequence number of the first space of each part.
func (db *DB) SitemapParts(ctx context.Context, size int) ([]int64, error) {
	var starts []int64
	err := db.idb.NewRaw(`
		SELECT sequence FROM (
			SELECT sequence, row_number() OVER (ORDER BY sequence) - 1 AS place FROM spaces WHERE `+public+`
		) AS listed WHERE place % ? = 0 ORDER BY sequence`, size).Scan(ctx, &starts)
	return starts, translate(err)
}

// SitemapPage returns up to limit Public spaces from a sequence number on, in the order of
// their creation.
func (db *DB) SitemapPage(ctx context.Context, from int64, limit int) ([]model.PublicSpace, error) {
	var found []model.PublicSpace
	err := db.idb.NewRaw("SELECT id, sequence, changed_at FROM spaces WHERE "+public+" AND sequence >= ? ORDER BY sequence LIMIT ?",
		from, limit).Scan(ctx, &found)
	return found, translate(err)
}
