// Package testdb opens migrated, empty databases for the tests of packages that import
// package db:
//
//	func TestMain(m *testing.M) { postgres.Main(m) }
//
//	func TestKeys(t *testing.T) {
//		t.Parallel()
//		database := testdb.Open(t)
//
// The tests of package db itself cannot import it; they use package postgres.
package testdb

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"portico/db"
	"portico/db/migrations"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// connections is the size of a test's pool. It is large enough to reveal races, and small enough
// for hundreds of tests on one cluster.
const connections = 4

// Open returns a new database, which is dropped when the test ends.
func Open(t testing.TB) *db.DB {
	t.Helper()
	database, _ := OpenURL(t)
	return database
}

// OpenURL returns a new database and its address, for code that opens its own connections.
func OpenURL(t testing.TB) (*db.DB, string) {
	t.Helper()
	url := postgres.URL(t, Migrate)
	return OpenSame(t, url), url
}

// OpenSame opens a database again, as another process does.
func OpenSame(t testing.TB, url string) *db.DB {
	t.Helper()
	database, err := db.Open(t.Context(), db.Options{URL: url, Connections: connections, Logger: quiet()})
	if err != nil {
		t.Fatalf("open the test database: %v", err)
	}
	t.Cleanup(func() {
		if err := database.Close(); err != nil {
			t.Errorf("close the test database: %v", err)
		}
	})
	return database
}

// Migrate is migrations.Run as a postgres.Migrate.
func Migrate(ctx context.Context, owner, application string) error {
	return migrations.Run(ctx, owner, application, quiet())
}

// User creates an account with the plan Free. The quota is in bytes.
func User(t testing.TB, database *db.DB, quota int64) *model.User {
	t.Helper()
	in := model.CreateUser{Email: strings.ToLower(model.Token()) + "@example.com", Quota: quota}
	if err := in.Validate(); err != nil {
		t.Fatalf("Validate: %v", err)
	}
	user, err := database.Accounts().CreateUser(t.Context(), in)
	if err != nil {
		t.Fatalf("CreateUser: %v", err)
	}
	return user
}

// quiet returns a logger without output.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// AwaitNotifications returns when the announcements of other processes arrive, or do not arrive any
// more.
func AwaitNotifications(t testing.TB, database *db.DB, arrive bool) {
	t.Helper()
	for database.Listens() != arrive {
		if t.Context().Err() != nil {
			t.Fatalf("notifications arrive: got %v, want %v", !arrive, arrive)
		}
		time.Sleep(time.Millisecond)
	}
}
