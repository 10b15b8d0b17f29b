package backup

import (
	"context"
	"database/sql"
	_ "embed"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/db/dump"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/storage"
	"portico/storage/disk"
)

func TestMain(m *testing.M) { postgres.MainWithoutLeaks(m) }

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

//go:embed testdata/rows.sql
var rows string

const secret = "a secret of the tests"

// contents are the objects that the rows name.
func contents() map[string]string {
	return map[string]string{
		"10000001/account/pictures/one.jpg":              "picture",
		"10000001/api_uploads/plain.glb":                 "plain",
		"10000001/api_uploads/zipped/scan/lod-meta.json": "{}",
		"10000001/api_uploads/zipped/scan/0/ä b.webp":    "tile",
		"10000001/api_uploads/zipped/scan/1.webp":        "til",
		"10000001/api_uploads/waiting.zip":               "waiting",
		"10000001/derived/plain/1/poster.webp":           "post",
		"10000001/derived/plain/1/small.webp":            "smal",
		"10000001/derived/plain/1/turn.jpg":              "turn",
		"10000001/derived/plain/2/lod-meta.json":         "{}",
		"10000001/derived/plain/2/0.webp":                "xy",
	}
}

// source is a server with a row in every table, and their objects.
type source struct {
	options     Options
	admin       *sql.DB
	application string // its address of the database
}

func newSource(t *testing.T, store storage.Store) *source {
	t.Helper()
	application := postgres.URL(t, testdb.Migrate)
	url := postgres.AdminURL(t, application)
	s := &source{admin: postgres.Connect(t, url), application: application}
	_, err := s.admin.ExecContext(t.Context(), rows)
	ok(t, err)
	for key, content := range contents() {
		_, err := store.Put(t.Context(), key, strings.NewReader(content))
		ok(t, err)
	}
	_, err = store.Put(t.Context(), "10000001/api_uploads/gone.ply", strings.NewReader("no row names it"))
	ok(t, err)
	s.options = Options{
		Folder: filepath.Join(t.TempDir(), "backup"), Database: url, Store: store, Secret: []byte(secret), Version: "1.2.3",
		Logger: slog.New(slog.DiscardHandler),
	}
	return s
}

func (s *source) write(t *testing.T) *Result {
	t.Helper()
	result, err := Write(t.Context(), s.options)
	ok(t, err)
	return result
}

func files(t *testing.T) *disk.Store {
	t.Helper()
	store, err := disk.Open(disk.Options{Folder: t.TempDir(), BaseURL: "https://portico.example", Secret: []byte(secret)})
	ok(t, err)
	t.Cleanup(func() { ok(t, store.Close()) })
	return store
}

// restore restores a folder into a new database, and returns the address of its owner.
func restore(t *testing.T, folder string, store storage.Store) (string, error) {
	t.Helper()
	owner, _ := postgres.Empty(t, testdb.Migrate)
	return owner, restoreInto(t, folder, owner, store)
}

func restoreInto(t *testing.T, folder, owner string, store storage.Store) error {
	t.Helper()
	b, err := Open(folder)
	if err != nil {
		return err
	}
	defer b.Close()
	if got := string(b.Secret()); got != secret {
		t.Errorf("secret: got %q, want %q", got, secret)
	}
	restoration, err := b.Prepare(t.Context(), owner, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer restoration.Close()
	_, err = restoration.Run(t.Context(), Options{Store: store})
	return err
}

// tablesOf returns the rows of all tables as texts.
func tablesOf(t *testing.T, address string) map[string]string {
	t.Helper()
	snapshot, err := dump.OpenSnapshot(t.Context(), address)
	ok(t, err)
	defer snapshot.Close()
	tables, err := snapshot.Tables(t.Context())
	ok(t, err)
	texts := map[string]string{}
	for _, table := range tables {
		var text strings.Builder
		n, err := snapshot.Copy(t.Context(), table, &text)
		ok(t, err)
		if n == 0 {
			t.Errorf("table %s: got no rows, want some in testdata/rows.sql", table.Name)
		}
		texts[table.Name] = text.String()
	}
	return texts
}

// objectsOf returns all objects of a store.
func objectsOf(t *testing.T, store storage.Store) map[string]string {
	t.Helper()
	objects := map[string]string{}
	for o, err := range store.List(t.Context(), "") {
		ok(t, err)
		r, err := store.Open(t.Context(), o.Key)
		ok(t, err)
		content, err := io.ReadAll(r)
		ok(t, err)
		ok(t, r.Close())
		objects[o.Key] = string(content)
	}
	return objects
}

// filesIn returns the modes of the files and folders in a folder.
func filesIn(t *testing.T, folder string) map[string]fs.FileMode {
	t.Helper()
	found := map[string]fs.FileMode{}
	ok(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		name, _ := filepath.Rel(folder, path)
		found[name] = info.Mode()
		return err
	}))
	return found
}

// opened is a store that calls open before an object is opened.
type opened struct {
	storage.Store

	open func(key string) error
}

func (s opened) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	if err := s.open(key); err != nil {
		return nil, err
	}
	return s.Store.Open(ctx, key)
}

// change replaces the bytes of a file by as many others.
func change(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	ok(t, err)
	text[len(text)/2] ^= 1
	ok(t, os.WriteFile(path, text, 0o600))
}
