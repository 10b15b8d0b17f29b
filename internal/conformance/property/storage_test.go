package property

import (
	"fmt"
	"slices"
)

// largestWrite is more than one step adds to the JSON of an account: a hub has a
// space, its RoomInfo, seven gates and an entity for its file.
const largestWrite = 20 * 256

// writesJSON reports whether the operation can store more JSON than before.
func writesJSON(op string) bool {
	return slices.Contains([]string{opCreateSpace, opUpdateSpace, opCreateEntity, opUpdateEntity}, op)
}

// countJSON adds up what the JSON of an account counts for (docs/rest.md, Account):
// each entity with its data and state, and each space with its fields, title and
// description, in whole units of 256 bytes. The lengths are those of the texts that
// Postgres makes of JSON, which the rules do not know. The server does not add up:
// its triggers count every change.
const countJSON = `
SELECT coalesce(sum(greatest(1, ceil(bytes / 256.0)) * 256), 0)::bigint FROM (
	SELECT octet_length(data::text || title || description) AS bytes FROM spaces WHERE owner_id = $1
	UNION ALL
	SELECT octet_length(e.data::text || e.state::text) FROM entities AS e JOIN spaces AS s ON s.id = e.space_id
	WHERE s.owner_id = $1
) AS texts`

// measure sets the bytes of JSON that the user has.
func (r *run) measure(rules *rules, user int) error {
	if err := r.sql.QueryRow(countJSON, r.users[user].id).Scan(&rules.json[user]); err != nil {
		return fmt.Errorf("count the JSON: %w", err)
	}
	if used, pending := rules.storage(user); used+pending > rules.quota {
		return fmt.Errorf("storage: got %d bytes used and %d promised, want at most %d", used, pending, rules.quota)
	}
	return nil
}

// checkNoRoom fails when the user had room for the JSON that was refused.
func (r *run) checkNoRoom(rules *rules, user int) error {
	if err := r.measure(rules, user); err != nil {
		return err
	}
	used, pending := rules.storage(user)
	if room := rules.quota - used - pending; room >= largestWrite {
		return fmt.Errorf("the quota refused JSON with %d bytes of room", room)
	}
	return nil
}
