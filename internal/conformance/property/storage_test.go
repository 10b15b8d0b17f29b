package property

import (
	"fmt"
	"slices"

	"portico/internal/testkit/usage"
)

// largestWrite is more than one step adds to the JSON of an account: a hub has a space,
// its RoomInfo, seven gates and an entity for its file.
const largestWrite = 20 * 256

// writesJSON reports whether the operation can store more JSON than before.
func writesJSON(op string) bool {
	return slices.Contains([]string{opCreateSpace, opUpdateSpace, opCreateEntity, opUpdateEntity}, op)
}

// measure sets the bytes of JSON that the user has.
func (r *run) measure(rules *rules, user int) error {
	if err := r.sql.QueryRow(usage.CountJSON, r.users[user].id).Scan(&rules.json[user]); err != nil {
		return fmt.Errorf("count the JSON: %w", err)
	}
	if used, pending := rules.storage(user); used+pending > rules.quota {
		return fmt.Errorf("storage: got %d bytes used and %d promised, want at most %d", used, pending, rules.quota)
	}
	return nil
}

// checkNoRoom returns an error if the user had room for the JSON that was refused.
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
