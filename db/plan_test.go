package db

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"portico/model"
)

// recorder keeps the statements that ran, and the texts of the prepared ones.
type recorder struct {
	mu         sync.Mutex
	statements []string
	prepared   []string
}

func (r *recorder) observe(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prepared = append(r.prepared, text)
}

func (r *recorder) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

func (r *recorder) AfterQuery(_ context.Context, e *bun.QueryEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statements = append(r.statements, e.Query)
}

// grownTables fills the tables with so many rows that Postgres prefers their indexes.
const grownTables = `
	INSERT INTO users (id, email, name, plan, quota)
		SELECT 10000000 + n, n || '@example.com', 'Ada', 'free', 1099511627776 FROM generate_series(1, 2000) n;
	INSERT INTO spaces (id, owner_id, title, description, type, privacy)
		SELECT 's' || n, 10000001 + n % 1000, 'Space', '', 'hub',
			CASE WHEN n % 200 = 0 THEN 'Public' ELSE 'Private' END FROM generate_series(1, 20000) n;
	INSERT INTO entities (space_id, entity_id, type)
		SELECT 's' || 1 + n % 1000, 'e' || n, 'Simple' FROM generate_series(1, 40000) n;
	INSERT INTO uploads (id, user_id, resource_key, file_name, content_type, size, state, expires_at)
		SELECT n, 10000001 + n % 1000, 'key' || n, 'a', 'b', 1,
			CASE n % 100 WHEN 0 THEN 'pending' WHEN 1 THEN 'failed' ELSE 'confirmed' END, now() FROM generate_series(1, 10000) n;
	INSERT INTO files (resource_key, user_id, upload_id, name, content_type, size, objects)
		SELECT 'key' || n, 10000001 + n % 1000, n, 'a', 'b', 1, 1 FROM generate_series(1, 10000) n;
	INSERT INTO jobs (id, user_id, upload_id, type, status, message, ended_at)
		SELECT 'j' || n, 10000001 + n % 1000, n, 'zip-processing', 'completed', '', now() FROM generate_series(1, 10000) n;
	INSERT INTO api_keys (id, user_id, lookup, sealed)
		SELECT n, 10000000 + n, decode(md5(n::text), 'hex'), '' FROM generate_series(1, 2000) n;
	INSERT INTO history_usage SELECT 10000000 + n, n FROM generate_series(1, 2000) n;
	INSERT INTO account_pictures SELECT 10000000 + n, 'key' || n FROM generate_series(1, 1000) n;
	INSERT INTO removals SELECT 'key' || n, now() + n * interval '1 minute' FROM generate_series(1, 5000) n;
	INSERT INTO follows (user_id, follower_id)
		SELECT 10000001 + n % 1000, 10000001 + n % 999 FROM generate_series(1, 5000) n WHERE n % 1000 <> n % 999
		ON CONFLICT DO NOTHING;
	INSERT INTO notifications (user_id, type, space_id)
		SELECT 10000001 + n % 1000, 'space-published', 's' || n FROM generate_series(1, 5000) n;
	INSERT INTO share_links (id, space_id, name, secret_hash)
		SELECT 'l' || n, 's' || 100 + n, '', decode(md5(n::text), 'hex') FROM generate_series(1, 5000) n;
	INSERT INTO handles SELECT 'name' || n, 10000000 + n, CASE WHEN n % 10 = 0 THEN now() - n * interval '1 day' END FROM generate_series(1, 2000) n;
	INSERT INTO space_slugs SELECT owner_id, id AS slug, id, CASE WHEN sequence % 10 = 0 THEN now() END FROM spaces;
	INSERT INTO visits (space_id, viewer, counted_at)
		SELECT 's' || n, 'v', now() - n * interval '1 minute' FROM generate_series(1, 5000) n;
	INSERT INTO daily_statistics (space_id, day, kind, name, count)
		SELECT 's' || n, current_date - d, 'host', 'a.example', 1 FROM generate_series(1, 5000) n, generate_series(0, 3) d;
	INSERT INTO audit_events (id, user_id, type, created_at)
		SELECT n, 10000001 + n % 1000, 'signed-in', now() - n * interval '1 minute' FROM generate_series(1, 5000) n;
	ANALYZE`

// The rows of grownTables that the statements ask for.
const (
	grownUser  = "10000005"
	grownSpace = "s5"
)

// statementsOf are calls that run the statements of a subject, by their names.
type statementsOf map[string]func(ctx context.Context, db *DB) error

// The statements of every request must find their rows by an index, whatever the tables have
// grown to.
func TestStatements_use_their_indexes(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	asAdmin(t, db, grownTables)
	after := model.Page{Limit: 50, After: 3000}
	for _, calls := range []statementsOf{
		statementsOfSpaces(after), statementsOfEntities(after), statementsOfFiles(after), statementsOfUsers(after), statementsOfWatchers(),
		statementsOfPolls(), statementsOfPages(), statementsOfReads(),
	} {
		for name, call := range calls {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				checkPlans(t, db, call)
			})
		}
	}
}

// checkPlans checks that no statement of the call reads a whole table.
func checkPlans(t *testing.T, db *DB, call func(context.Context, *DB) error) {
	t.Helper()
	plans := plansOf(t, db, call)
	for _, plan := range plans {
		if strings.Contains(strings.ReplaceAll(plan, "Seq Scan on pg_", ""), "Seq Scan") { // the catalog does not grow
			t.Errorf("plan: got a scan of a whole table, want an index\n%s", plan)
		}
	}
	if len(plans) == 0 {
		t.Error("statements: got none, want at least one")
	}
}

// plansOf returns the statements of the call with their plans.
func plansOf(t *testing.T, db *DB, call func(context.Context, *DB) error) (plans []string) {
	t.Helper()
	ran := &recorder{}
	recorded := db.root.WithQueryHook(ran)
	check(t, call(t.Context(), &DB{idb: recorded, root: recorded, log: db.log, listener: db.listener, announcer: db.announcer, changeTimes: db.changeTimes,
		ngrams: db.ngrams, prepared: &prepared{pool: recorded.DB, slots: newConnectionSlots(20), observe: ran.observe}}))
	for _, statement := range ran.statements {
		plans = append(plans, statement+"\n"+explain(t, db, statement))
	}
	for _, text := range ran.prepared {
		plans = append(plans, text+"\n"+explainPrepared(t, db, text))
	}
	return plans
}

// explainPrepared returns the plan for arguments that are not known, which is the
// one that Postgres settles on.
func explainPrepared(t testing.TB, db *DB, text string) string {
	t.Helper()
	conn, err := db.root.Conn(t.Context())
	check(t, err)
	defer func() { check(t, conn.Close()) }()
	execute := "planned" + arguments(text)
	for _, statement := range []string{"SET plan_cache_mode = force_generic_plan", "PREPARE planned AS " + text} {
		_, err := conn.ExecContext(t.Context(), statement)
		check(t, err)
	}
	var lines []string
	check(t, conn.NewRaw("EXPLAIN EXECUTE "+execute).Scan(t.Context(), &lines))
	_, err = conn.ExecContext(t.Context(), "DEALLOCATE planned; RESET plan_cache_mode")
	check(t, err)
	return strings.Join(lines, "\n")
}

// arguments returns as many arguments as the prepared statement has, in parentheses.
func arguments(text string) string {
	count := 0
	for strings.Contains(text, fmt.Sprintf("$%d", count+1)) {
		count++
	}
	if count == 0 {
		return ""
	}
	return "(" + strings.TrimSuffix(strings.Repeat("NULL, ", count), ", ") + ")"
}

func explain(t testing.TB, db *DB, statement string) string {
	t.Helper()
	var lines []string
	check(t, db.idb.NewRaw("EXPLAIN "+statement).Scan(t.Context(), &lines))
	return strings.Join(lines, "\n")
}
