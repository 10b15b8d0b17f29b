package db

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

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

// The statements of every request must find their rows by an index, whatever
// the tables have grown to.
func TestStatements_use_their_indexes(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	asAdmin(t, db, `
		INSERT INTO users (id, email, name, plan, quota)
			SELECT 10000000 + n, n || '@example.com', 'Ada', 'free', 1000000 FROM generate_series(1, 2000) n;
		INSERT INTO spaces (id, owner_id, title, description, type, privacy)
			SELECT 's' || n, 10000001 + n % 1000, 'Space', '', 'hub',
				CASE WHEN n % 50 = 0 THEN 'Public' ELSE 'Private' END FROM generate_series(1, 5000) n;
		INSERT INTO entities (space_id, entity_id, type)
			SELECT 's' || 1 + n % 500, 'e' || n, 'Simple' FROM generate_series(1, 20000) n;
		INSERT INTO uploads (id, user_id, resource_key, file_name, content_type, size, state, expires_at)
			SELECT n, 10000001 + n % 1000, 'key' || n, 'a', 'b', 1,
				CASE n % 100 WHEN 0 THEN 'pending' WHEN 1 THEN 'failed' ELSE 'confirmed' END, now() FROM generate_series(1, 10000) n;
		INSERT INTO files (resource_key, user_id, upload_id, name, content_type, size, objects)
			SELECT 'key' || n, 10000001 + n % 1000, n, 'a', 'b', 1, 1 FROM generate_series(1, 10000) n;
		INSERT INTO jobs (id, user_id, upload_id, type, status, message, ended_at)
			SELECT 'j' || n, 10000001 + n % 1000, n, 'zip-processing', 'completed', '', now() FROM generate_series(1, 10000) n;
		INSERT INTO api_keys (id, user_id, lookup, sealed)
			SELECT n, 10000000 + n, decode(md5(n::text), 'hex'), '' FROM generate_series(1, 2000) n;
		INSERT INTO removals SELECT 'key' || n, now() + n * interval '1 minute' FROM generate_series(1, 5000) n;
		INSERT INTO follows (user_id, follower_id)
			SELECT 10000001 + n % 1000, 10000001 + n % 999 FROM generate_series(1, 5000) n WHERE n % 1000 <> n % 999
			ON CONFLICT DO NOTHING;
		INSERT INTO notifications (user_id, type, space_id)
			SELECT 10000001 + n % 1000, 'space-published', 's' || n FROM generate_series(1, 5000) n;
		INSERT INTO visits (space_id, viewer, counted_at)
			SELECT 's' || n, 'v', now() - n * interval '1 minute' FROM generate_series(1, 5000) n;
		INSERT INTO audit_events (id, user_id, type, created_at)
			SELECT n, 10000001 + n % 1000, 'signed-in', now() - n * interval '1 minute' FROM generate_series(1, 5000) n;
		ANALYZE`)
	const user, space = "10000005", "s5"
	after := model.Page{Limit: 50, After: 3000}
	for name, call := range map[string]func(db *DB) error{
		"OwnedEntity": func(db *DB) error { _, err := db.OwnedEntity(ctx, user, space, "e4"); return err },
		"DeleteOwned": func(db *DB) error { _, err := db.DeleteOwnedEntity(ctx, user, space, "none"); return err },
		"MergeOwned": func(db *DB) error {
			in := model.UpdateEntity{SpaceID: space, EntityID: "none", Data: model.Object("{}")}
			_, err := db.MergeOwnedEntity(ctx, user, in)
			return err
		},
		"Entities":       func(db *DB) error { _, err := db.Entities(ctx, space, model.Page{Limit: 50}); return err },
		"Entities_after": func(db *DB) error { _, err := db.Entities(ctx, space, after); return err },
		"SpacesOf":       func(db *DB) error { _, err := db.SpacesOf(ctx, user, model.SpaceFilter{}, after); return err },
		"Files":          func(db *DB) error { _, err := db.Files(ctx, user, model.FileFilter{}, after); return err },
		"FileOf":         func(db *DB) error { _, err := db.FileOf(ctx, user, "key4"); return err },
		"ConversionOf":   func(db *DB) error { _, err := db.ConversionOf(ctx, "key4", model.ConvertToSOG); return err },
		"LockFile":       func(db *DB) error { _, err := db.LockFile(ctx, user, "key4"); return notMissing(err) },
		"FileOfUpload":   func(db *DB) error { _, err := db.FileOfUpload(ctx, "4"); return err },
		"UploadOf":       func(db *DB) error { _, err := db.UploadOf(ctx, user, "key4"); return err },
		"Job":            func(db *DB) error { _, err := db.Job(ctx, "j4"); return err },
		"JobsOf":         func(db *DB) error { _, err := db.JobsOf(ctx, user); return err },
		"KeyOf":          func(db *DB) error { _, err := db.KeyOf(ctx, user); return err },
		"KeyByLookup":    func(db *DB) error { _, err := db.KeyByLookup(ctx, []byte("x")); return notMissing(err) },
		"UserByEmail":    func(db *DB) error { _, err := db.UserByEmail(ctx, "5@example.com"); return err },
		"Storage":        func(db *DB) error { _, err := db.Storage(ctx, user); return err },
		"Removals":       func(db *DB) error { _, err := db.Removals(ctx, 10); return err },
		"PurgeJobs":      func(db *DB) error { _, err := db.PurgeJobs(ctx, time.Now().Add(-time.Hour), 10); return err },
		"PublicSpaces":   func(db *DB) error { _, err := db.PublicSpaces(ctx, model.SpaceFilter{}, after); return err },
		"PublicSpacesOf": func(db *DB) error { _, err := db.PublicSpacesOf(ctx, user, after); return err },
		"SpacesByID":     func(db *DB) error { _, err := db.SpacesByID(ctx, []string{"s1", space}); return err },
		"Visit":          func(db *DB) error { _, err := db.Visit(ctx, space, "v4"); return err },
		"PurgeVisits":    func(db *DB) error { _, err := db.PurgeVisits(ctx, 10); return err },
		"Profile":        func(db *DB) error { _, err := db.Profile(ctx, user, "10000006"); return err },
		"Notifications":  func(db *DB) error { _, err := db.Notifications(ctx, user, after); return err },
		"NotificationsAfter": func(db *DB) error {
			_, _, err := db.NotificationsAfter(ctx, user, Place{model.Position{Transaction: "1"}, "1:1:"}, Batch{Rows: 10, Bytes: 1})
			return err
		},
		"EntityVersions": func(db *DB) error { _, err := db.EntityVersions(ctx, space); return err },
		"VersionedEntities": func(db *DB) error {
			_, err := db.VersionedEntities(ctx, space, []string{"e4", "e504"}, 1<<20)
			return err
		},
		"Sweeps":        func(db *DB) error { _, err := db.Sweeps(ctx, 10); return err },
		"Swept":         func(db *DB) error { return db.Swept(ctx, "key4", true) },
		"Receiving":     func(db *DB) error { _, err := db.ReceivingUpload(ctx, user+"/key4"); return err },
		"Received":      func(db *DB) error { _, err := db.ReceivedUpload(ctx, user+"/key4"); return err },
		"LapsedUploads": func(db *DB) error { _, err := db.LapsedUploads(ctx, 10); return err },
		"AddSecurityEvent": func(db *DB) error {
			return db.AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventSignedIn, user))
		},
		"SecurityEvents": func(db *DB) error { _, err := db.SecurityEvents(ctx, user, after); return err },
		"AuditTrail": func(db *DB) error {
			_, err := db.AuditTrail(ctx, AuditFilter{UserID: user, Since: time.Now(), After: 3000}, 10)
			return err
		},
		"ForgetUploads":  func(db *DB) error { _, err := db.ForgetUploads(ctx, time.Now().Add(-time.Hour), 10); return err },
		"DiscardExpired": func(db *DB) error { _, err := db.DiscardExpired(ctx, time.Now().Add(-time.Hour), 10); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran := &recorder{}
			recorded := db.root.WithQueryHook(ran)
			check(t, call(&DB{idb: recorded, root: recorded, log: db.log, listener: db.listener, announcer: db.announcer,
				prepared: &prepared{pool: recorded.DB, observe: ran.observe}}))
			for _, statement := range ran.statements {
				if plan := explain(t, db, statement); strings.Contains(plan, "Seq Scan") {
					t.Errorf("plan: got a scan of a whole table, want an index\n%s\n%s", statement, plan)
				}
			}
			for _, text := range ran.prepared {
				if plan := explainPrepared(t, db, text); strings.Contains(plan, "Seq Scan") {
					t.Errorf("plan: got a scan of a whole table, want an index\n%s\n%s", text, plan)
				}
			}
			if len(ran.statements)+len(ran.prepared) == 0 {
				t.Error("statements: got none, want at least one")
			}
		})
	}
}

func notMissing(err error) error {
	if model.CodeOf(err) == model.CodeNotFound {
		return nil
	}
	return err
}

// explainPrepared returns the plan for arguments that are not known, which is the
// one that Postgres settles on.
func explainPrepared(t testing.TB, db *DB, text string) string {
	t.Helper()
	conn, err := db.root.Conn(t.Context())
	check(t, err)
	defer func() { check(t, conn.Close()) }()
	arguments := 0
	for strings.Contains(text, fmt.Sprintf("$%d", arguments+1)) {
		arguments++
	}
	nulls := strings.TrimSuffix(strings.Repeat("NULL, ", arguments), ", ")
	for _, statement := range []string{"SET plan_cache_mode = force_generic_plan", "PREPARE planned AS " + text} {
		_, err := conn.ExecContext(t.Context(), statement)
		check(t, err)
	}
	var lines []string
	check(t, conn.NewRaw("EXPLAIN EXECUTE planned("+nulls+")").Scan(t.Context(), &lines))
	_, err = conn.ExecContext(t.Context(), "DEALLOCATE planned; RESET plan_cache_mode")
	check(t, err)
	return strings.Join(lines, "\n")
}

func explain(t testing.TB, db *DB, statement string) string {
	t.Helper()
	var lines []string
	check(t, db.idb.NewRaw("EXPLAIN "+statement).Scan(t.Context(), &lines))
	return strings.Join(lines, "\n")
}
