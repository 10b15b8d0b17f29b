package doctor

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/db/dump"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/storage"
	"portico/storage/disk"
)

func TestMain(m *testing.M) { postgres.MainWithoutLeaks(m) }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rows are an account with a file of each kind, in the way that a server has them.
const rows = `
	INSERT INTO users (id, email, name, plan, quota) VALUES ('10000001', 'ada@example.com', 'Ada', 'pro', 1000000);
	INSERT INTO api_keys (id, user_id, lookup, sealed) VALUES ('k', '10000001', '\x01', '\x02');
	INSERT INTO account_pictures VALUES ('10000001', '10000001/pictures/one.jpg');
	INSERT INTO uploads (id, user_id, resource_key, file_name, content_type, size, state, expires_at) VALUES
		('plain', '10000001', 'api_uploads/plain.glb', 'plain.glb', 'model/gltf-binary', 5, 'confirmed', now()),
		('zipped', '10000001', 'api_uploads/zipped.zip', 'zipped.zip', 'application/zip', 6, 'confirmed', now()),
		('coming', '10000001', 'api_uploads/coming.ply', 'coming.ply', 'application/octet-stream', 8, 'pending', now());
	INSERT INTO files (resource_key, user_id, upload_id, name, content_type, size, objects, poster_key, posters, derived_bytes) VALUES
		('api_uploads/plain.glb', '10000001', 'plain', 'plain.glb', 'model/gltf-binary', 5, 1, 'derived/plain/1/poster.webp',
			'{"sizes": [{"key": "derived/plain/1/poster.webp"}]}', 4),
		('api_uploads/zipped/scan/lod-meta.json', '10000001', 'zipped', 'zipped.zip', 'application/json', 6, 2, NULL, DEFAULT, 0);
	INSERT INTO removals (key, due_at) VALUES ('10000001/api_uploads/gone.ply', now()), ('10000001/derived/gone/', now());
	INSERT INTO spaces (id, owner_id, title, description, type, privacy) VALUES ('10000001_a', '10000001', 'Hall', '', 'infinite', 'Public');
	INSERT INTO entities (space_id, entity_id, type, data) VALUES ('10000001_a', 'one', 'Simple', '{"a": 1}');
	INSERT INTO space_versions VALUES ('10000001_a', 1, '', now(), current_timestamp, '', 0, 0, 0, 400)`

func contents() map[string]string {
	return map[string]string{
		"10000001/pictures/one.jpg":                      "picture",
		"10000001/api_uploads/plain.glb":                 "plain",
		"10000001/derived/plain/1/poster.webp":           "post",
		"10000001/api_uploads/zipped/scan/lod-meta.json": "{}",
		"10000001/api_uploads/zipped/scan/0.webp":        "tile",
		"10000001/api_uploads/coming.ply":                "part",
		"10000001/api_uploads/gone.ply":                  "to be removed",
		"10000001/derived/gone/1/poster.webp":            "to be removed",
	}
}

// world is a healthy server, which is looked at three days later.
type world struct {
	Options

	admin *sql.DB
	store *disk.Store
}

func newWorld(t *testing.T) *world {
	t.Helper()
	url := postgres.AdminURL(t, postgres.URL(t, testdb.Migrate))
	store, err := disk.Open(disk.Options{Folder: t.TempDir(), BaseURL: "https://portico.example", Secret: []byte("a secret of the tests")})
	check(t, err)
	t.Cleanup(func() { check(t, store.Close()) })
	w := &world{admin: postgres.Connect(t, url), store: store, Options: Options{
		Database: url, Store: store, Version: "1.2.3", OpensKey: func(string, []byte) bool { return true },
		now: func() time.Time { return time.Now().Add(3 * 24 * time.Hour) },
	}}
	w.exec(t, rows)
	for key, content := range contents() {
		w.put(t, key, content)
	}
	return w
}

func (w *world) exec(t *testing.T, statements string) {
	t.Helper()
	_, err := w.admin.ExecContext(t.Context(), statements)
	check(t, err)
}

func (w *world) put(t *testing.T, key, content string) {
	t.Helper()
	_, err := w.store.Put(t.Context(), key, strings.NewReader(content))
	check(t, err)
}

// findings returns the findings as lines.
func (w *world) findings(t *testing.T) []string {
	t.Helper()
	report, err := Examine(t.Context(), w.Options)
	check(t, err)
	var lines []string
	for _, finding := range report.Findings {
		lines = append(lines, finding.String())
	}
	return lines
}

func TestExamine_finds_nothing_wrong_with_a_healthy_server(t *testing.T) {
	t.Parallel()
	if got := newWorld(t).findings(t); len(got) > 0 {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestExamine_finds_what_is_wrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		damage func(t *testing.T, w *world)
		want   string // the start of the only finding
	}{
		"a missing file": {func(t *testing.T, w *world) { check(t, w.store.Delete(t.Context(), "10000001/api_uploads/plain.glb")) },
			"problem: the file api_uploads/plain.glb (10000001/api_uploads/plain.glb) has 0 of 1 objects and 0 of 5 bytes in the store"},
		"a missing object of a folder": {func(t *testing.T, w *world) {
			check(t, w.store.Delete(t.Context(), "10000001/api_uploads/zipped/scan/0.webp"))
		}, "problem: the file api_uploads/zipped/scan/lod-meta.json (10000001/api_uploads/zipped/) has 1 of 2 objects and 2 of 6 bytes"},
		"a short file": {func(t *testing.T, w *world) { w.put(t, "10000001/api_uploads/plain.glb", "plai") },
			"problem: the file api_uploads/plain.glb (10000001/api_uploads/plain.glb) has 1 of 1 objects and 4 of 5 bytes"},
		"a long file": {func(t *testing.T, w *world) { w.put(t, "10000001/api_uploads/plain.glb", "plain!") },
			"problem: 10000001/api_uploads/plain.glb has 1 objects and 6 bytes in the store, and the row of the file api_uploads/plain.glb says 5 bytes"},
		"a missing poster": {func(t *testing.T, w *world) {
			check(t, w.store.Delete(t.Context(), "10000001/derived/plain/1/poster.webp"))
		}, "problem: what was made of the file api_uploads/plain.glb (10000001/derived/plain/) has 0 of 4 bytes in the store: 10000001/derived/plain/1/poster.webp is missing"},
		"a missing picture": {func(t *testing.T, w *world) { check(t, w.store.Delete(t.Context(), "10000001/pictures/one.jpg")) },
			"problem: the picture of the account 10000001 is missing"},
		"an object without a row": {func(t *testing.T, w *world) { w.put(t, "10000001/api_uploads/stray.glb", "stray") },
			"problem: no row names the object 10000001/api_uploads/stray.glb of 5 bytes. portico doctor --fix deletes it"},
		"an object of another program": {func(t *testing.T, w *world) { w.put(t, "photos/cat.jpg", "cat") },
			"note: 1 objects in the store belong to no account, such as photos/cat.jpg"},
		"a wrong total":    {func(t *testing.T, w *world) { w.exec(t, "UPDATE totals SET rows = rows + 1 WHERE list = 'Public'") }, `problem: totals of "Public" is kept as 2, and counting finds 1`},
		"a lost total":     {func(t *testing.T, w *world) { w.exec(t, "DELETE FROM totals WHERE list = '10000001 files'") }, `problem: totals of "10000001 files" is kept as 0, and counting finds 2`},
		"wrong JSON usage": {func(t *testing.T, w *world) { w.exec(t, "UPDATE json_usage SET bytes = bytes - 256") }, `problem: json_usage of "10000001" is kept as 256, and counting finds 512`},
		"wrong history":    {func(t *testing.T, w *world) { w.exec(t, "UPDATE history_usage SET bytes = 7") }, `problem: history_usage of "10000001" is kept as 7, and counting finds 400`},
		"a contradiction":  {func(t *testing.T, w *world) { w.exec(t, "UPDATE uploads SET state = 'pending' WHERE id = 'plain'") }, "problem: the file api_uploads/plain.glb has an upload that is pending"},
		"a full account":   {func(t *testing.T, w *world) { w.exec(t, "UPDATE users SET quota = 10") }, "note: the account 10000001 uses more than its quota"},
		"no worker": {func(t *testing.T, w *world) {
			w.exec(t, `INSERT INTO river_job (args, kind, max_attempts, priority, queue, scheduled_at) VALUES ('{}', 'job', 9, 1, 'small', now() - interval '1 hour')`)
		}, "problem: 1 jobs wait for a worker, the oldest for 1h0m"},
		"a purge that fails": {func(t *testing.T, w *world) {
			w.exec(t, "UPDATE removals SET due_at = now() - interval '2 days' WHERE key LIKE '%ply'")
		},
			"problem: 1 objects should have been removed from the store a day ago"},
		"another secret": {func(_ *testing.T, w *world) { w.OpensKey = func(string, []byte) bool { return false } },
			"problem: the server's secret does not decrypt 1 of 1 API keys. Set PORTICO_SECRET"},
		"a newer version": {func(t *testing.T, w *world) { w.exec(t, "INSERT INTO migrations (name) VALUES ('9999_future.sql')") },
			"problem: the tables were made by a newer version of Portico, which has the migration 9999_future.sql"},
		"an older version": {func(t *testing.T, w *world) { w.exec(t, "DELETE FROM migrations") }, "problem: the tables are of an older version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			test.damage(t, w)
			if got := w.findings(t); len(got) != 1 || !strings.HasPrefix(got[0], test.want) {
				t.Errorf("got %q, want only %q", got, test.want)
			}
		})
	}
}

func TestExamine_corrects_only_what_is_safe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "10000001/api_uploads/stray.glb", "stray")
	w.put(t, "20000002/api_uploads/other.glb", "of another server")
	w.exec(t, `UPDATE totals SET rows = 40; UPDATE json_usage SET bytes = 1, granted = 0; UPDATE history_usage SET bytes = 0;
		INSERT INTO totals SELECT '10000001_a', part, 9 FROM generate_series(0, 31) AS part; INSERT INTO totals VALUES ('unknown files', 3, 1)`)
	w.Fix = true
	lines := strings.Join(w.findings(t), "\n")
	if strings.Contains(lines, "problem: ") || strings.Count(lines, "fixed: ") != 8 || strings.Count(lines, "note: ") != 1 {
		t.Errorf("got\n%s\nwant 8 corrected and the other object noted", lines)
	}
	if got := w.findings(t); len(got) != 1 || !strings.HasPrefix(got[0], "note: 1 objects") {
		t.Errorf("afterwards: got %q, want the other object only", got)
	}
	want := contents()
	want["20000002/api_uploads/other.glb"] = ""
	for o, err := range w.store.List(t.Context(), "") {
		check(t, err)
		if _, ok := want[o.Key]; !ok {
			t.Errorf("got %s, want it deleted", o.Key)
		}
		delete(want, o.Key)
	}
	if len(want) > 0 {
		t.Errorf("got %v deleted", want)
	}
	// What was counted again goes on.
	w.exec(t, `INSERT INTO entities (space_id, entity_id, type) VALUES ('10000001_a', 'two', 'Simple'); DELETE FROM spaces`)
	if got := w.findings(t); len(got) != 1 {
		t.Errorf("after changes: got %q, want the other object only", got)
	}
}

// With another database, or after the rows were lost, everything seems to be left over.
func TestExamine_deletes_nothing_if_most_is_left_over(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(t, "DELETE FROM files; DELETE FROM uploads; DELETE FROM account_pictures; DELETE FROM removals")
	w.Fix = true
	lines := strings.Join(w.findings(t), "\n")
	if !strings.Contains(lines, "more than half of the objects") || strings.Contains(lines, "It was deleted") {
		t.Errorf("got\n%s\nwant nothing deleted", lines)
	}
	for key := range contents() {
		_, err := w.store.Stat(t.Context(), key)
		check(t, err)
	}
}

// An upload that was just stored may get its row in a moment.
func TestExamine_leaves_new_objects_alone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.now = nil
	w.put(t, "10000001/api_uploads/new.glb", "new")
	if got := w.findings(t); len(got) > 0 {
		t.Errorf("got %q, want nothing", got)
	}
}

// deleting is a store whose list begins just before a file is deleted with its row.
type deleting struct {
	storage.Store

	deleteFile func()
}

func (d deleting) Ping(ctx context.Context) error {
	d.deleteFile()
	return d.Store.Ping(ctx)
}

func TestExamine_finds_nothing_wrong_with_a_file_that_is_deleted_meanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Store = deleting{w.store, func() {
		w.exec(t, "DELETE FROM files WHERE upload_id = 'plain'; UPDATE uploads SET state = 'discarded' WHERE id = 'plain'")
		check(t, errors.Join(w.store.Delete(t.Context(), "10000001/api_uploads/plain.glb"), w.store.DeletePrefix(t.Context(), "10000001/derived/plain")))
	}}
	if got := w.findings(t); len(got) > 0 {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestExamine_of_an_empty_database(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Database, _ = postgres.Empty(t, testdb.Migrate)
	want := []string{"problem: the database has no tables yet. Start portico serve, or run portico migrate."}
	if diff := cmp.Diff(want, w.findings(t)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if _, err := dump.OpenSnapshot(t.Context(), w.Database); !errors.Is(err, dump.ErrNoTables) {
		t.Errorf("database: got %v, want it as it was", err)
	}
}
