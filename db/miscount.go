package db

// Miscount is a kept sum that differs from what it sums.
type Miscount struct {
	ID            string // of the list, or of the account
	Kept, Counted int64
}

// The kinds of Miscount.
const (
	// TotalsMiscount is the number of rows of a list.
	TotalsMiscount = "totals"
	// JSONMiscount is the storage of the spaces and entities of an account.
	JSONMiscount = "json_usage"
	// HistoryMiscount is the storage of the versions of an account.
	HistoryMiscount = "history_usage"
)

// MiscountQueries returns a query of the miscounts of each kind.
func MiscountQueries() map[string]string {
	return map[string]string{
		TotalsMiscount: `
			SELECT list, coalesce(kept, 0) AS kept, coalesce(counted, 0) AS counted
			FROM (SELECT list, sum(rows)::bigint AS kept FROM totals GROUP BY list) AS k
			FULL JOIN (
				SELECT owner_id || ' ' || privacy AS list, count(*) AS counted FROM spaces GROUP BY owner_id, privacy
				UNION ALL SELECT 'Public', count(*) FROM spaces WHERE privacy = 'Public' HAVING count(*) > 0
				UNION ALL SELECT user_id || ' files', count(*) FROM files GROUP BY user_id
				UNION ALL SELECT space_id, count(*) FROM entities WHERE entity_id <> 'RoomInfo'
					AND space_id IN (SELECT list FROM totals) GROUP BY space_id
			) AS c USING (list) WHERE kept IS DISTINCT FROM coalesce(counted, 0) ORDER BY list`,
		JSONMiscount: `
			SELECT user_id, coalesce(kept, 0) AS kept, coalesce(counted, 0) AS counted
			FROM (SELECT user_id, sum(bytes)::bigint AS kept FROM json_usage GROUP BY user_id) AS k
			FULL JOIN (
				SELECT user_id, sum(bytes)::bigint AS counted FROM (
					SELECT owner_id AS user_id, space_bytes(s) AS bytes FROM spaces AS s
					UNION ALL SELECT split_part(space_id, '_', 1), counted_bytes(bytes) FROM entities
				) AS each GROUP BY user_id
			) AS c USING (user_id) WHERE coalesce(kept, 0) <> coalesce(counted, 0) ORDER BY user_id`,
		HistoryMiscount: `
			SELECT user_id, coalesce(kept, 0) AS kept, coalesce(counted, 0) AS counted
			FROM (SELECT user_id, bytes AS kept FROM history_usage) AS k
			FULL JOIN (
				SELECT split_part(space_id, '_', 1) AS user_id, sum(bytes)::bigint AS counted FROM space_versions GROUP BY 1
			) AS c USING (user_id) WHERE coalesce(kept, 0) <> coalesce(counted, 0) ORDER BY user_id`,
	}
}
