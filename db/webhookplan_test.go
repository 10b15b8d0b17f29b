package db

import (
	"slices"
	"strings"
	"testing"
)

// manyChanges are changes that are not recorded yet, of accounts without a webhook, and an account
// with a webhook whose space nobody has changed lately.
const manyChanges = `
	INSERT INTO changes (space_id, target, origin, op, type, before)
		SELECT 's' || 1 + n % 5000, 'e' || n % 100, 'rest:1', 2, 'Simple', '{"label": "Chair"}' FROM generate_series(1, 20000) n;
	INSERT INTO changes (space_id, target, origin, op) VALUES ('s5', 'late', 'rest:1', 1);
	INSERT INTO webhooks (id, user_id, url, events, sealed)
		SELECT 'w', owner_id, 'https://example.com', '{ENTITY_CHANGED}', '' FROM spaces WHERE id = 's5';
	UPDATE spaces SET touched_at = now() - interval '1 hour';
	VACUUM ANALYZE spaces, changes`

// The look for events, which a worker repeats every second, does not read the changes of others.
func TestChangedSpacesWithWebhooks_costs_what_changed(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	asAdmin(t, db, grownTables)
	for statement := range strings.SplitSeq(manyChanges, ";") {
		asAdmin(t, db, statement)
	}
	plan := func() string {
		return explain(t, db, strings.Replace("(ANALYZE, COSTS OFF, TIMING OFF) "+changedSpacesWithWebhooks, "?", "200", 1))
	}
	idle := plan()
	if !strings.Contains(idle, "Index Scan using spaces_touched") && !strings.Contains(idle, "Bitmap Index Scan on spaces_touched") {
		t.Errorf("plan: got\n%s\nwant spaces by their index", idle)
	}
	if !strings.Contains(idle, "on changes (never executed)") {
		t.Errorf("plan: got\n%s\nwant no changes read", idle)
	}
	asAdmin(t, db, "UPDATE spaces SET touched_at = now() WHERE id IN ('s5', 's6')")
	got, err := db.Webhooks().ChangedSpacesWithWebhooks(t.Context(), 200)
	check(t, err)
	if want := []string{"s5"}; !slices.Equal(got, want) {
		t.Errorf("after a change: got %q, want %q", got, want)
	}
}
