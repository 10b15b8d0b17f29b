package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func TestURL_gives_each_test_a_migrated_database_of_its_own(t *testing.T) {
	t.Parallel()
	for i := range 12 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			db := open(t, URL(t, migrate))
			if _, err := db.ExecContext(t.Context(), "INSERT INTO spaces VALUES ('mine')"); err != nil {
				t.Fatalf("INSERT: %v", err)
			}
			if got, want := names(t, db), "from the migration, mine"; got != want {
				t.Errorf("spaces: got %q, want %q", got, want)
			}
		})
	}
}

func TestURL_drops_the_database_with_the_test(t *testing.T) {
	t.Parallel()
	var url string
	t.Run("still_connected", func(t *testing.T) {
		url = URL(t, migrate)
		db := openURL(url)
		// Closed after the database was dropped, unlike in other tests.
		t.Cleanup(func() { _ = db.Close() })
		names(t, db)
	})
	err := open(t, url).PingContext(t.Context())
	if want := "does not exist"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("connect after the test: got %v, want %q in it", err, want)
	}
}

func TestURL_is_the_application_s_and_AdminURL_the_superuser_s(t *testing.T) {
	t.Parallel()
	url := URL(t, migrate)
	_, err := open(t, url).ExecContext(t.Context(), "DELETE FROM spaces")
	if want := "permission denied for table spaces"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("beyond the rights: got %v, want %q in it", err, want)
	}
	admin := open(t, AdminURL(t, url))
	if _, err := admin.ExecContext(t.Context(), "UPDATE spaces SET name = 'changed'"); err != nil {
		t.Errorf("as the superuser: got %v, want no error", err)
	}
	if got, want := names(t, open(t, url)), "changed"; got != want {
		t.Errorf("spaces: got %q, want %q", got, want)
	}
}

func TestEmpty_has_no_tables(t *testing.T) {
	t.Parallel()
	owner, application := Empty(t, migrate)
	if err := migrate(t.Context(), owner, application); err != nil {
		t.Fatalf("migrate: %v", err)
	}
	if got, want := names(t, open(t, application)), "from the migration"; got != want {
		t.Errorf("spaces: got %q, want %q", got, want)
	}
}

func TestURL_leaves_room_for_parallel_tests(t *testing.T) {
	t.Parallel()
	db := open(t, URL(t, migrate))
	var got string
	if err := db.QueryRowContext(t.Context(), "SHOW max_connections").Scan(&got); err != nil {
		t.Fatalf("SHOW: %v", err)
	}
	if want := "400"; got != want {
		t.Errorf("max_connections: got %s, want %s", got, want)
	}
}

func TestURL_needs_no_password(t *testing.T) {
	t.Parallel()
	address := URL(t, migrate)
	if !shared.server.inMemory() {
		t.Skipf("the cluster is not in %s", memoryFolder)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("parse %s: %v", address, err)
	}
	u.User = url.UserPassword(u.User.Username(), "guessed")
	if got, want := names(t, open(t, u.String())), "from the migration"; got != want {
		t.Errorf("spaces: got %q, want %q", got, want)
	}
}

func TestProcess_without_Main_says_so(t *testing.T) {
	t.Parallel()
	var p process
	if _, err := p.open(migrate); !errors.Is(err, errNoMain) {
		t.Errorf("open: got %v, want %v", err, errNoMain)
	}
	if err := p.close(); err != nil {
		t.Errorf("close of what never opened: got %v, want no error", err)
	}
}

func TestProcess_reports_a_failed_migration_to_every_test(t *testing.T) {
	t.Parallel()
	broken, calls := errors.New("syntax error"), 0
	var p process
	p.allow()
	for range 2 {
		_, err := p.open(func(context.Context, string, string) error { calls++; return broken })
		if !errors.Is(err, broken) {
			t.Errorf("open: got %v, want %v", err, broken)
		}
	}
	if got, want := calls, 1; got != want {
		t.Errorf("migrations: got %d, want %d", got, want)
	}
	if err := p.close(); err != nil {
		t.Errorf("close: got %v, want no error", err)
	}
}

// BenchmarkURL measures what a database costs a test, its end included.
func BenchmarkURL(b *testing.B) {
	URL(b, migrate) // the first one starts the cluster
	for b.Loop() {
		server, err := shared.open(migrate)
		if err != nil {
			b.Fatalf("open: %v", err)
		}
		name, err := server.create(b.Context())
		if err != nil {
			b.Fatalf("create: %v", err)
		}
		if err := server.drop(b.Context(), name); err != nil {
			b.Fatalf("drop: %v", err)
		}
	}
}
