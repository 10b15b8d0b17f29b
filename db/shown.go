package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"
)

// maxShowingSpaces is the maximum number of spaces that a ShownFile names.
const maxShowingSpaces = 20

// ShownFile is a file that spaces of its owner show.
type ShownFile struct {
	ID       string
	SpaceIDs []string `bun:"space_ids,array"` // of at most maxShowingSpaces spaces that show it
}

// ShownFiles returns the files that the Public and Link Only spaces of the user show: each
// file that an entity or a space refers to by an address or a resource key, in any field.
//
// It scans the JSON of all readable spaces of one account, so callers cache the response
// (graph.ShownFiles).
func (db *DB) ShownFiles(ctx context.Context, userID string) ([]ShownFile, error) {
	var files []ShownFile
	err := db.idb.NewRaw(`
		WITH readable AS (SELECT id, data FROM spaces WHERE `+ownedBy("?")+` AND `+readable+`)
		SELECT found.id[1] AS id, (array_agg(DISTINCT space_id))[1:?] AS space_ids FROM (
			SELECT id AS space_id, data::text AS kept FROM readable
			UNION ALL
			SELECT e.space_id, e.data::text || e.state::text FROM readable JOIN entities AS e ON e.space_id = readable.id
		) AS texts, regexp_matches(kept, '(?:api_uploads|derived)/([a-z0-9]+)', 'g') AS found(id)
		GROUP BY found.id[1]`, userID, maxShowingSpaces).Scan(ctx, &files)
	return files, translate(err)
}

// AnyReadable reports whether at least one of the spaces exists and is not Private.
func (db *DB) AnyReadable(ctx context.Context, spaceIDs []string) (bool, error) {
	var found bool
	err := db.idb.NewRaw("SELECT EXISTS (SELECT FROM spaces WHERE id = ANY(?::text[]) AND "+readable+")", pgdialect.Array(spaceIDs)).
		Scan(ctx, &found)
	return found, translate(err)
}
