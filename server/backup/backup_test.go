package backup

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/db"
	"portico/db/dump"
	"portico/db/migrations"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/internal/testkit/s3"
	"portico/storage"
	s3store "portico/storage/s3"
)

func TestRestore_brings_back_every_row_and_object(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	result := s.write(t)
	if got, want := result.Objects, len(contents()); got != want || result.Copied != want || len(result.Missing) > 0 {
		t.Errorf("result: got %+v, want %d objects", result, want)
	}
	restored := files(t)
	owner, err := restore(t, s.options.Folder, restored)
	ok(t, err)
	want := tablesOf(t, s.options.Database)
	if diff := cmp.Diff(want, tablesOf(t, owner)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(contents(), objectsOf(t, restored)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	for table, text := range map[string]string{"queue": `"j1"`, "jobs": "at work"} {
		if !strings.Contains(want[table], text) {
			t.Errorf("table %s: got %q, want %s in it", table, want[table], text)
		}
	}
	if strings.Contains(want["queue"], "mail") || strings.Contains(want["queue"], "purge") {
		t.Errorf("queue: got %q, want no mail and no periodic work", want["queue"])
	}
}

// A number that was given out, also of a row that is gone, never becomes another row's.
func TestRestore_continues_the_numbers(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	s.write(t)
	owner, err := restore(t, s.options.Folder, files(t))
	ok(t, err)
	restored := postgres.Connect(t, owner)
	for statement, want := range map[string]int64{
		`INSERT INTO webhook_deliveries (webhook_id, stream, type, payload) VALUES ('w', 'jobs', 'x', '{}') RETURNING sequence`:                       3,
		`INSERT INTO jobs (id, user_id, upload_id, type, status, message) VALUES ('j2', '10000001', 'plain', 'zip', 'queued', '') RETURNING sequence`: 6,
	} {
		var got int64
		ok(t, restored.QueryRowContext(t.Context(), statement).Scan(&got))
		if got != want {
			t.Errorf("%s: got %d, want %d", statement, got, want)
		}
	}
}

// Subscriptions pass over rows of transactions that have not ended: one of another cluster seems to
// be in the future.
func TestRestore_gives_notifications_a_transaction_of_the_cluster(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	s.write(t)
	owner, err := restore(t, s.options.Folder, files(t))
	ok(t, err)
	var ended bool
	ok(t, postgres.Connect(t, owner).QueryRowContext(t.Context(),
		"SELECT bool_and(transaction < pg_snapshot_xmax(pg_current_snapshot())) FROM notifications").Scan(&ended))
	if !ended {
		t.Error("transaction: got one that has not ended")
	}
}

// After the restore, the triggers work again, and the next migration finds what it expects.
func TestRestore_leaves_an_ordinary_database(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	s.write(t)
	owner, err := restore(t, s.options.Folder, files(t))
	ok(t, err)
	ok(t, testdb.Migrate(t.Context(), owner, owner))
	admin := postgres.Connect(t, owner)
	_, err = admin.ExecContext(t.Context(), "DELETE FROM spaces WHERE id = '10000001_a'")
	ok(t, err)
	var total int
	ok(t, admin.QueryRowContext(t.Context(), "SELECT sum(rows) FROM totals WHERE list = 'Public'").Scan(&total))
	if total != 0 {
		t.Errorf("total of Public spaces: got %d, want 0", total)
	}
}

func TestBackup_of_a_bucket_is_restored_to_a_disk_and_back(t *testing.T) { //nolint:paralleltest // it sets variables
	gateway := s3.Start(t)
	for _, variable := range s3.Environment() {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	bucket := func() storage.Store {
		store, err := s3store.Open(t.Context(), s3store.Options{URL: "s3://" + gateway.Bucket(t) + "?endpoint=" + gateway.Endpoint})
		ok(t, err)
		return store
	}
	s := newSource(t, bucket())
	s.write(t)
	disk, other := files(t), bucket()
	for _, store := range []storage.Store{disk, other} {
		_, err := restore(t, s.options.Folder, store)
		ok(t, err)
		if diff := cmp.Diff(contents(), objectsOf(t, store)); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
	}
}

func TestWrite_reads_no_object_twice(t *testing.T) {
	t.Parallel()
	store := files(t)
	s := newSource(t, store)
	var reads atomic.Int32
	s.options.Store = opened{Store: store, open: func(string) error { reads.Add(1); return nil }}
	s.write(t)
	_, err := store.Put(t.Context(), "10000001/derived/plain/2/0.webp", strings.NewReader("XY"))
	ok(t, err)
	reads.Store(0)
	if result := s.write(t); result.Copied != 1 || result.Objects != len(contents()) || reads.Load() != 1 {
		t.Errorf("second backup: got %+v and %d objects read, want the changed one", result, reads.Load())
	}
	restored := files(t)
	_, err = restore(t, s.options.Folder, restored)
	ok(t, err)
	if got := objectsOf(t, restored)["10000001/derived/plain/2/0.webp"]; got != "XY" {
		t.Errorf("changed object: got %q, want XY", got)
	}
}

func TestWrite_replaces_the_earlier_backup(t *testing.T) {
	t.Parallel()
	store := files(t)
	s := newSource(t, store)
	s.write(t)
	before := filesIn(t, s.options.Folder)
	_, err := s.admin.ExecContext(t.Context(), "DELETE FROM account_pictures; UPDATE users SET name = 'Ada again' WHERE id = '10000001'")
	ok(t, err)
	s.write(t)
	after := filesIn(t, s.options.Folder)
	for name := range before {
		_, stays := after[name]
		isOld := strings.HasPrefix(name, tablesPrefix) || strings.HasSuffix(name, "one.jpg")
		if stays == isOld {
			t.Errorf("%s: got that it stays: %v", name, stays)
		}
	}
	owner, err := restore(t, s.options.Folder, files(t))
	ok(t, err)
	var name string
	ok(t, postgres.Connect(t, owner).QueryRowContext(t.Context(), "SELECT name FROM users WHERE id = '10000001'").Scan(&name))
	if name != "Ada again" {
		t.Errorf("name: got %q, want the later one", name)
	}
}

var errKilled = errors.New("killed")

// A backup that was killed leaves the earlier one whole, and the next one does not read again what it
// has copied.
func TestWrite_that_does_not_end_leaves_the_earlier_backup(t *testing.T) {
	t.Parallel()
	store := files(t)
	s := newSource(t, store)
	s.write(t)
	want := tablesOf(t, s.options.Database)
	_, err := s.admin.ExecContext(t.Context(), `UPDATE users SET name = 'later';
		INSERT INTO account_pictures VALUES ('10000002', '10000002/account/pictures/b.jpg')`)
	ok(t, err)
	for _, key := range []string{"10000001/derived/plain/2/9.webp", "10000002/account/pictures/b.jpg"} {
		_, err = store.Put(t.Context(), key, strings.NewReader("new"))
		ok(t, err)
	}
	copied := make(chan struct{})
	s.options.Store = opened{Store: store, open: func(key string) error {
		if strings.HasSuffix(key, "9.webp") {
			close(copied)
			return nil
		}
		<-copied
		for { // until the other object is safe
			if list, err := os.ReadFile(filepath.Join(s.options.Folder, copiedName)); err == nil && strings.Contains(string(list), "9.webp") {
				return errKilled
			}
		}
	}}
	if _, err := Write(t.Context(), s.options); !errors.Is(err, errKilled) {
		t.Fatalf("Write: got %v, want %v", err, errKilled)
	}
	// The process had no time to finish its line.
	list, err := os.OpenFile(filepath.Join(s.options.Folder, copiedName), os.O_APPEND|os.O_WRONLY, 0)
	ok(t, err)
	_, err = list.WriteString(`{"key": "100`)
	ok(t, errors.Join(err, list.Close()))
	restored := files(t)
	owner, err := restore(t, s.options.Folder, restored)
	ok(t, err)
	if diff := cmp.Diff(want, tablesOf(t, owner)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(contents(), objectsOf(t, restored)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	s.options.Store = store
	if result := s.write(t); result.Copied != 1 || result.Objects != len(contents())+2 {
		t.Errorf("next backup: got %+v, want the one object that was not copied", result)
	}
	folders := 0
	for name := range filesIn(t, s.options.Folder) {
		if strings.HasPrefix(name, tablesPrefix) && !strings.Contains(name, "/") {
			folders++
		}
		if name == copiedName || strings.Contains(name, ".new") {
			t.Errorf("got %s left over", name)
		}
	}
	if folders != 1 {
		t.Errorf("folders of tables: got %d, want 1", folders)
	}
}

// A file that is deleted between the rows and the objects would be named and missing.
func TestWrite_copies_the_tables_again_if_an_object_was_deleted(t *testing.T) {
	t.Parallel()
	store := files(t)
	s := newSource(t, store)
	var once atomic.Bool
	const key = "10000001/account/pictures/one.jpg"
	s.options.Store = opened{Store: store, open: func(string) error {
		if once.Swap(true) {
			return nil
		}
		_, err := s.admin.ExecContext(t.Context(), "DELETE FROM account_pictures")
		return errors.Join(err, store.Delete(t.Context(), key))
	}}
	result := s.write(t)
	m, err := readManifestIn(t, s.options.Folder)
	ok(t, err)
	pictures := slices.IndexFunc(m.Tables, func(table tableFile) bool { return table.Name == "account_pictures" })
	if len(result.Missing) > 0 || result.MissingError() != nil {
		t.Errorf("missing: got %q, want none", result.Missing)
	}
	// The object may have been read before it was deleted; then the rows of that moment name it.
	_, statErr := os.Stat(filepath.Join(s.options.Folder, filesFolder, key))
	if named := m.Tables[pictures].Rows == 1; named != (statErr == nil) {
		t.Errorf("picture: got that a row names it: %v, and %v", named, statErr)
	}
}

// The store may have lost a file, or may be the wrong one: the backup keeps its copy.
func TestWrite_keeps_the_copy_of_a_file_that_the_store_has_lost(t *testing.T) {
	t.Parallel()
	store := files(t)
	s := newSource(t, store)
	s.write(t)
	ok(t, store.Delete(t.Context(), "10000001/api_uploads/plain.glb"))
	ok(t, store.DeletePrefix(t.Context(), "10000001/api_uploads/zipped"))
	ok(t, store.Delete(t.Context(), "10000001/derived/plain/1/small.webp"))
	ok(t, store.Delete(t.Context(), "10000001/derived/plain/1/turn.jpg"))
	if result := s.write(t); len(result.Missing) > 0 || result.Objects != len(contents()) {
		t.Errorf("backup: got %+v, want everything kept", result)
	}
	restored := files(t)
	_, err := restore(t, s.options.Folder, restored)
	ok(t, err)
	if diff := cmp.Diff(contents(), objectsOf(t, restored)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	s.options.Folder = filepath.Join(t.TempDir(), "another")
	if err := s.write(t).MissingError(); err == nil || !strings.Contains(err.Error(), "10000001/api_uploads/plain.glb") {
		t.Errorf("backup without an earlier one: got %v, want the missing file", err)
	}
}

func TestWrite_verifies_and_heals_its_copies(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	s.write(t)
	path := filepath.Join(s.options.Folder, filesFolder, "10000001/api_uploads/plain.glb")
	change(t, path)
	s.options.Verify = true
	if result := s.write(t); result.Copied != 1 {
		t.Errorf("copied: got %d objects, want the damaged one", result.Copied)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "plain" {
		t.Errorf("copy: got %q, %v, want it healed", got, err)
	}
}

// The secret and the files of private spaces are in the folder.
func TestWrite_lets_only_its_user_read(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	s.write(t)
	for name, mode := range filesIn(t, s.options.Folder) {
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[mode.IsDir()]; mode.Perm() != want {
			t.Errorf("%s: got mode %o, want %o", name, mode.Perm(), want)
		}
	}
}

func TestWrite_refuses_a_folder_of_something_else(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	s.options.Folder = t.TempDir()
	mine := filepath.Join(s.options.Folder, "mine.txt")
	ok(t, os.WriteFile(mine, []byte("mine"), 0o600))
	if _, err := Write(t.Context(), s.options); err == nil || !strings.Contains(err.Error(), "has other files, such as mine.txt") {
		t.Errorf("Write: got %v, want that the folder has other files", err)
	}
	if got := filesIn(t, s.options.Folder); len(got) != 2 {
		t.Errorf("files: got %v, want them as they were", got)
	}
}

func TestWrite_refuses_a_folder_in_use(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	f, err := openFolder(s.options.Folder)
	ok(t, err)
	defer f.close()
	if _, err := Write(t.Context(), s.options); err == nil || !strings.Contains(err.Error(), "another backup") {
		t.Errorf("Write: got %v, want that another backup runs", err)
	}
}

// An installation may keep the address of the owner elsewhere.
func TestWrite_needs_no_right_but_to_read(t *testing.T) {
	t.Parallel()
	store := files(t)
	s := newSource(t, store)
	s.options.Database = s.application
	s.write(t)
	owner, err := restore(t, s.options.Folder, files(t))
	ok(t, err)
	if diff := cmp.Diff(tablesOf(t, s.application), tablesOf(t, owner)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestOpen_refuses_what_was_changed(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	for _, test := range []struct{ glob, want string }{
		{tablesPrefix + "*/users.copy", "users.copy is damaged"},
		{tablesPrefix + "*/secret", "secret is damaged"},
		{tablesPrefix + "*/objects.jsonl", "objects.jsonl is damaged"},
		{manifestName, "damaged"},
		{"files/10000001/api_uploads/plain.glb", "plain.glb is damaged"},
	} {
		s.options.Folder = filepath.Join(t.TempDir(), "backup")
		s.write(t)
		found, err := filepath.Glob(filepath.Join(s.options.Folder, test.glob))
		ok(t, err)
		change(t, found[0])
		owner, err := restore(t, s.options.Folder, files(t))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s changed: got %v, want %q", test.glob, err, test.want)
		}
		ok(t, os.Remove(found[0]))
		if err := restoreInto(t, s.options.Folder, owner, files(t)); err == nil {
			t.Errorf("%s removed: got no error, want one", test.glob)
		}
	}
}

// A restore that failed on the way is started again, with what it has done already.
func TestRestore_can_be_started_again(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	s.write(t)
	path := filepath.Join(s.options.Folder, filesFolder, "10000001/api_uploads/plain.glb")
	change(t, path)
	store := files(t)
	owner, err := restore(t, s.options.Folder, store)
	if !errors.Is(err, errDiffers) {
		t.Fatalf("restore of a damaged file: got %v, want %v", err, errDiffers)
	}
	if _, err := store.Stat(t.Context(), "10000001/api_uploads/plain.glb"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("damaged file: got %v, want it not stored", err)
	}
	change(t, path)
	ok(t, restoreInto(t, s.options.Folder, owner, store))
	if diff := cmp.Diff(contents(), objectsOf(t, store)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// A server that has lost files gets them back without losing what was stored since the backup.
func TestRestoreObjects_puts_back_what_is_missing(t *testing.T) {
	t.Parallel()
	store := files(t)
	s := newSource(t, store)
	s.write(t)
	ok(t, store.DeletePrefix(t.Context(), "10000001/api_uploads/zipped"))
	_, err := store.Put(t.Context(), "10000001/api_uploads/plain.glb", strings.NewReader("pl"))
	ok(t, err)
	_, err = s.admin.ExecContext(t.Context(), "DELETE FROM account_pictures; UPDATE users SET name = 'later'")
	ok(t, err)
	ok(t, store.Delete(t.Context(), "10000001/account/pictures/one.jpg"))
	b, err := Open(s.options.Folder)
	ok(t, err)
	defer b.Close()
	result, err := b.RestoreObjects(t.Context(), s.options)
	ok(t, err)
	want := contents()
	delete(want, "10000001/account/pictures/one.jpg") // no row names it any more
	want["10000001/api_uploads/gone.ply"] = "no row names it"
	if diff := cmp.Diff(want, objectsOf(t, store)); diff != "" || result.Copied != 4 {
		t.Errorf("got %+v, objects (-want +got):\n%s", result, diff)
	}
}

func TestRestore_refuses_a_database_that_is_not_empty(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	s.write(t)
	owner, err := restore(t, s.options.Folder, files(t))
	ok(t, err)
	err = restoreInto(t, s.options.Folder, owner, files(t))
	if err == nil || !strings.Contains(err.Error(), "the database is not empty") {
		t.Errorf("restore: got %v, want that the database is not empty", err)
	}
}

func TestRestore_refuses_a_database_in_use(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	s.write(t)
	owner, application := postgres.Empty(t, testdb.Migrate)
	ok(t, testdb.Migrate(t.Context(), owner, application))
	server, err := db.Open(t.Context(), db.Options{URL: application, Logger: s.options.Logger})
	ok(t, err)
	err = restoreInto(t, s.options.Folder, owner, files(t))
	ok(t, server.Close())
	if err == nil || !strings.Contains(err.Error(), "uses the database") {
		t.Errorf("restore: got %v, want that a server uses the database", err)
	}
}

func TestRestore_needs_the_owner_of_the_tables(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	s.write(t)
	_, application := postgres.Empty(t, testdb.Migrate)
	if err := restoreInto(t, s.options.Folder, application, files(t)); !errors.Is(err, migrations.ErrNotOwner) {
		t.Errorf("restore as the application: got %v, want %v", err, migrations.ErrNotOwner)
	}
}

// The tables of a new server lack nothing, but those of the backup may be others.
func TestRestore_refuses_tables_of_a_later_version_than_the_backup(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	s.write(t)
	owner, _ := postgres.Empty(t, testdb.Migrate)
	ok(t, testdb.Migrate(t.Context(), owner, owner))
	_, err := postgres.Connect(t, owner).ExecContext(t.Context(), "INSERT INTO migrations (name) VALUES ('9999_future.sql')")
	ok(t, err)
	if err := restoreInto(t, s.options.Folder, owner, files(t)); err == nil || !strings.Contains(err.Error(), "newer version than the backup") {
		t.Errorf("restore: got %v, want that the tables are newer", err)
	}
}

func TestRestore_refuses_a_backup_of_a_newer_version(t *testing.T) {
	t.Parallel()
	s := newSource(t, files(t))
	s.write(t)
	for _, edit := range []func(*manifest){
		func(m *manifest) { m.Migrations = append(m.Migrations, "9999_future.sql") },
		func(m *manifest) { m.Format = format + 1 },
	} {
		m, err := readManifestIn(t, s.options.Folder)
		ok(t, err)
		edit(m)
		m.Check, err = m.hash()
		ok(t, err)
		text, err := json.Marshal(m)
		ok(t, err)
		ok(t, os.WriteFile(filepath.Join(s.options.Folder, manifestName), text, 0o600))
		owner, err := restore(t, s.options.Folder, files(t))
		if err == nil || !strings.Contains(err.Error(), "made by Portico 1.2.3") || !strings.Contains(err.Error(), "newer") {
			t.Errorf("restore: got %v, want which version is needed", err)
		}
		if _, err := dump.OpenSnapshot(t.Context(), owner); !errors.Is(err, dump.ErrNoTables) {
			t.Errorf("database afterwards: got %v, want %v", err, dump.ErrNoTables)
		}
	}
}

func readManifestIn(t *testing.T, folder string) (*manifest, error) {
	t.Helper()
	root, err := os.OpenRoot(folder)
	ok(t, err)
	defer root.Close()
	return readManifest(root)
}
