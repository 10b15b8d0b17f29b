package db

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/db/dial"
	"portico/db/migrations"
	"portico/internal/testkit/postgres"
	"portico/model"
)

func TestMain(m *testing.M) { postgres.Main(m) }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func migrateTest(ctx context.Context, owner, application string) error {
	return migrations.Run(ctx, owner, application, quiet())
}

// testDB returns an empty database of the test's own.
func testDB(t testing.TB) *DB {
	t.Helper()
	return openTest(t, Options{URL: postgres.URL(t, migrateTest), Connections: 8, Logger: quiet()})
}

// openTest opens a database until the end of the test. Without PollInterval there is no poll, which
// would signal watchers at any time.
func openTest(t testing.TB, o Options) *DB {
	t.Helper()
	o.PollInterval = cmp.Or(o.PollInterval, 24*time.Hour)
	db, err := Open(t.Context(), o)
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	checkStatements(t, db)
	return db
}

// asAdmin sets a scene that the application has no right to set.
func asAdmin(t testing.TB, db *DB, statement string, args ...any) {
	t.Helper()
	admin, err := dial.Open(postgres.AdminURL(t, databaseOf(t, db)), dial.Pool{Connections: 1, StatementTimeout: 5 * time.Minute})
	check(t, err)
	_, err = admin.ExecContext(t.Context(), statement, args...)
	check(t, errors.Join(err, admin.Close()))
}

// check ends the test at an error that it does not expect.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

// checkCode compares the code of an error; "" means no error.
func checkCode(t testing.TB, err error, want model.Code) {
	t.Helper()
	if got := model.CodeOf(err); got != want {
		t.Errorf("code: got %q (%v), want %q", got, err, want)
	}
}

// receive returns what comes in time, or ends the test.
func receive[T any](t testing.TB, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(time.Minute):
		t.Fatalf("waited too long for %s", what)
		panic("not reached")
	}
}

func addUser(t testing.TB, db *DB) *model.User {
	t.Helper()
	user, err := db.Accounts().CreateUser(t.Context(), model.CreateUser{
		Email: strings.ToLower(model.Token()) + "@example.com", Name: "Ada", Plan: model.PlanFree, Quota: 1_000_000,
	})
	check(t, err)
	return user
}

// setQuota leaves the account so many bytes.
func setQuota(t testing.TB, db *DB, user *model.User, bytes int64) {
	t.Helper()
	user.Quota = bytes
	check(t, db.Accounts().UpdateUser(t.Context(), user))
}

// addSpace adds an empty space with its RoomInfo.
func addSpace(t testing.TB, db *DB, owner *model.User, title string) *model.Space {
	t.Helper()
	space := model.NewSpace(owner.ID, model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Title: &title}}, nil)
	room := model.NewRoomInfo(space.ID, nil)
	check(t, db.Spaces().AddSpace(t.Context(), space, []*model.Entity{room}))
	return space
}

// addEntity adds an entity that must be new.
func addEntity(t testing.TB, db *DB, space *model.Space, id, kind, data string) *model.Entity {
	t.Helper()
	entity := model.NewEntity(space.ID, id, kind, model.Object(data))
	added, err := db.Entities().AddEntity(t.Context(), entity)
	check(t, err)
	if !added {
		t.Fatalf("AddEntity(%s): got an entity that was there, want a new one", id)
	}
	return entity
}

// storedEntity reads an entity past every method of db; nil when it is not there.
func storedEntity(t testing.TB, db *DB, spaceID, id string) *model.Entity {
	t.Helper()
	var rows []*model.Entity
	check(t, db.idb.NewSelect().Model(&rows).Where("space_id = ? AND entity_id = ?", spaceID, id).Scan(t.Context()))
	if len(rows) == 0 {
		return nil
	}
	return rows[0]
}

// addUpload adds a pending upload whose URL expires after the time.
func addUpload(t testing.TB, db *DB, user *model.User, size int64, expires time.Duration) *model.Upload {
	t.Helper()
	upload := model.NewUpload(user.ID, model.CreateUpload{FileName: "a.zip", FileSize: model.FileSize(size), ContentType: "application/zip"})
	upload.ExpiresAt = model.Time{Time: model.Now().Add(expires)}
	check(t, db.Uploads().AddUpload(t.Context(), upload))
	return upload
}

// addJob adds a queued job for a new upload.
func addJob(t testing.TB, db *DB, user *model.User) *model.Job {
	t.Helper()
	upload := addUpload(t, db, user, 10, time.Hour)
	job := model.NewJob(upload)
	started, err := db.Uploads().StartUpload(t.Context(), upload.ID, job.ID)
	check(t, err)
	if !started {
		t.Fatal("StartUpload: got false, want true")
	}
	check(t, db.Jobs().AddJob(t.Context(), job))
	return job
}

func number(t testing.TB, db *DB, query string, args ...any) int {
	t.Helper()
	var n int
	check(t, db.idb.NewRaw(query, args...).Scan(t.Context(), &n))
	return n
}

func databaseOf(t testing.TB, db *DB) (name string) {
	t.Helper()
	check(t, db.idb.NewRaw("SELECT current_database()").Scan(t.Context(), &name))
	return name
}

// as returns the address with another role.
func as(t testing.TB, address, role, password string) string {
	t.Helper()
	u, err := url.Parse(address)
	check(t, err)
	u.User = url.UserPassword(role, password)
	return u.String()
}
