package db

import (
	"testing"

	"portico/internal/testkit/postgres"
)

// A publication of all tables, as of a managed upgrade, refuses changes of a table whose rows have
// no identity.
func TestTables_can_be_replicated(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	asAdmin(t, db, "CREATE PUBLICATION upgrade FOR ALL TABLES")
	var tables []string
	check(t, db.idb.NewRaw(`SELECT c.oid::regclass::text FROM pg_class AS c
		WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace AND relpersistence = 'p'
			AND NOT (relreplident = 'f' OR EXISTS (SELECT FROM pg_index WHERE indrelid = c.oid
				AND CASE relreplident WHEN 'd' THEN indisprimary WHEN 'i' THEN indisreplident END))
		ORDER BY 1`).Scan(t.Context(), &tables))
	if len(tables) > 0 {
		t.Errorf("tables without a replica identity: got %v, want none", tables)
	}
	space := addSpace(t, db, addUser(t, db), "Hall")
	addEntity(t, db, space, "a", "Simple", `{}`)
	if recorded, err := db.History().RecordVersions(t.Context(), space.ID, keepAll, 500); err != nil || recorded == 0 {
		t.Fatalf("record versions: got %d, %v, want the change", recorded, err)
	}
	check(t, db.Accounts().DeleteUser(t.Context(), space.OwnerID, func() error { return nil }))
	pool := postgres.Connect(t, postgres.AdminURL(t, databaseOf(t, db)))
	_, err := pool.ExecContext(t.Context(), "DELETE FROM changes")
	check(t, err)
}
