package db

import "context"

// ShownFiles returns the ids of the files that the Public and Link Only spaces of the user
// show: each file that an entity or a space refers to by an address or a resource key, in
// any field. It selects the spaces that graph.mayRead opens to everybody.
func (db *DB) ShownFiles(ctx context.Context, userID string) ([]string, error) {
	var ids []string
	err := db.idb.NewRaw(`
		WITH readable AS (SELECT id, data FROM spaces WHERE owner_id = ? AND privacy <> 'Private')
		SELECT DISTINCT found.id[1] FROM (
			SELECT data::text AS kept FROM readable
			UNION ALL
			SELECT e.data::text || e.state::text FROM readable JOIN entities AS e ON e.space_id = readable.id
		) AS texts, regexp_matches(kept, '(?:api_uploads|derived)/([a-z0-9]+)', 'g') AS found(id)`, userID).Scan(ctx, &ids)
	return ids, translate(err)
}
