package private

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestStart_sets_the_cluster_up_once_and_keeps_its_data(t *testing.T) {
	t.Parallel()
	dir := openFolder(t)

	begin := time.Now()
	first := start(t, Options{DataFolder: dir, Settings: map[string]string{"work_mem": "5MB", "listen_addresses": "*"}})
	firstTook := time.Since(begin)
	db := open(t, first)
	mustExec(t, db, "CREATE TABLE kept AS SELECT 'kept'::text AS word")

	t.Run("sets_the_server_up", func(t *testing.T) {
		for _, row := range []struct{ name, want string }{
			{"listen_addresses", ""}, // Settings cannot change it
			{"work_mem", "5MB"},
			{"TimeZone", "UTC"},
			{"server_encoding", "UTF8"},
			{"lc_collate", "C"},
			{"max_connections", "100"},
			{"shared_buffers", "128MB"},
			{"fsync", "off"},
			{"password_encryption", "scram-sha-256"},
		} {
			// Since PostgreSQL 16, lc_collate is not a setting any more.
			query := "SHOW " + row.name
			if row.name == "lc_collate" {
				query = "SELECT datcollate FROM pg_database WHERE datname = current_database()"
			}
			if got := show(t, db, query); got != row.want {
				t.Errorf("%s: got %q, want %q", row.name, got, row.want)
			}
		}
	})
	t.Run("keeps_others_out", func(t *testing.T) { checkModes(t, first) })

	stop(t, first)
	begin = time.Now()
	second := start(t, Options{DataFolder: dir})
	secondTook := time.Since(begin)
	t.Logf("first start %v, second %v", firstTook, secondTook) // the data below was not set up again
	if got, want := second.URL(), first.URL(); got != want {
		t.Errorf("URL after a restart: got %q, want %q", got, want)
	}
	if got, want := show(t, open(t, second), "SELECT word FROM kept"), "kept"; got != want {
		t.Errorf("data after a restart: got %q, want %q", got, want)
	}
}

// checkModes checks the modes of a running cluster's files.
func checkModes(t *testing.T, c *Cluster) {
	t.Helper()
	for _, row := range []struct {
		name string
		want fs.FileMode
	}{
		{".", fs.ModeDir | 0o700},
		{"data", fs.ModeDir | 0o700},
		{"password", 0o600},
		{"lock", 0o600},
		{"server.log", 0o600},
		{socketName, fs.ModeSocket | 0o700},
	} {
		info, err := os.Lstat(filepath.Join(c.Folder(), row.name))
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if got := info.Mode(); got != row.want {
			t.Errorf("mode of %s: got %v, want %v", row.name, got, row.want)
		}
		if got := owner(info); got != c.location.account.uid || got == 0 {
			t.Errorf("owner of %s: got %d, want %d and never root", row.name, got, c.location.account.uid)
		}
	}
}

// onMessage is a log handler that calls a function at a message.
type onMessage struct {
	slog.Handler
	message string
	call    func()
}

func (h onMessage) Enabled(context.Context, slog.Level) bool { return true }

func (h onMessage) Handle(_ context.Context, record slog.Record) error {
	if record.Message == h.message {
		h.call()
	}
	return nil
}

func TestStart_ends_with_its_context(t *testing.T) {
	t.Parallel()
	dir := openFolder(t)
	ctx, cancel := context.WithCancel(t.Context())
	// Cancel while initdb runs.
	logger := slog.New(onMessage{slog.DiscardHandler, "creating a private postgres cluster", cancel})
	c, err := Start(ctx, Options{DataFolder: dir, FastUnsafe: true, Logger: logger})
	if err == nil {
		stop(t, c)
	}
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Start with an ended context: got %v, want %v", err, context.Canceled)
	}
	if _, err := os.Lstat(filepath.Join(dir, "postgres", "data")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("data after an interrupted start: got %v, want none", err)
	}
	// The next start must not be affected.
	start(t, Options{DataFolder: dir})
}

func TestStart_quotes_the_server_log(t *testing.T) {
	t.Parallel()
	c, err := Start(deadline(t), Options{
		DataFolder: openFolder(t), FastUnsafe: true, Settings: map[string]string{"shared_buffers": "nonsense"},
	})
	if err == nil {
		stop(t, c)
		t.Fatal("Start with a wrong setting: got a cluster, want an error")
	}
	for _, want := range []string{"start private postgres: ", "shared_buffers", "server.log"} {
		if got := err.Error(); !strings.Contains(got, want) {
			t.Errorf("error: got %q, want %q in it", got, want)
		}
	}
}

func TestStart_creates_a_relative_folder(t *testing.T) { //nolint:paralleltest // changes the working folder
	dir := openFolder(t)
	t.Chdir(dir)
	c := start(t, Options{DataFolder: "deep/data"})
	if got, want := c.Folder(), filepath.Join(dir, "deep/data/postgres"); got != want {
		t.Errorf("Folder: got %q, want %q", got, want)
	}
}

func TestStop_stops_the_server_after_its_context_ended(t *testing.T) {
	t.Parallel()
	dir := openFolder(t)
	durable := map[string]string{"synchronous_commit": "on"}
	c, err := Start(deadline(t), Options{DataFolder: dir, FastUnsafe: true, Settings: durable})
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	mustExec(t, open(t, c), "CREATE TABLE kept ()")
	ended, cancel := context.WithCancel(context.Background())
	cancel()

	// Both results are right, because the server may be faster.
	err = c.Stop(ended)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("Stop with an ended context: got %v, want %v", err, context.Canceled)
	}
	if got := c.Stop(t.Context()); got != err {
		t.Errorf("second Stop: got %v, want the first's %v", got, err)
	}
	if isListening(c.location.socket()) {
		t.Error("after Stop: got a listening server, want none")
	}
	if got, want := show(t, open(t, start(t, Options{DataFolder: dir})), "SELECT count(*)::text FROM kept"), "0"; got != want {
		t.Errorf("rows after an abrupt stop: got %s, want %s", got, want)
	}
}
