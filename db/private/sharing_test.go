package private

import (
	"database/sql"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestStart_adopts_the_server_of_another_process(t *testing.T) {
	t.Parallel()
	dir := openFolder(t)
	owner := spawnChild(t, dir)
	if got, want := owner.started(), true; got != want {
		t.Fatalf("child owns the server: got %t, want %t", got, want)
	}
	adopter := start(t, Options{DataFolder: dir})
	if got, want := adopter.serverLock.held.Load(), false; got != want {
		t.Fatalf("second process owns the server: got %t, want %t", got, want)
	}
	db := open(t, adopter)
	mustExec(t, db, "CREATE TABLE kept AS SELECT 'kept'::text AS word")

	t.Run("and_lets_go_of_it", func(t *testing.T) {
		third := start(t, Options{DataFolder: dir})
		stop(t, third)
		if got, want := show(t, db, "SELECT word FROM kept"), "kept"; got != want {
			t.Errorf("after an adopter stopped: got %q, want %q", got, want)
		}
	})
	t.Run("and_starts_it_again_when_the_owner_stops", func(t *testing.T) {
		owner.stop()
		eventually(t, "the adopter has started the server", func() bool { return hasRow(t, db, "kept") })
	})
}

// hasRow reports whether the table kept contains the word. It returns false while the
// server is down.
func hasRow(t *testing.T, db *sql.DB, want string) bool {
	t.Helper()
	var got string
	err := db.QueryRowContext(deadline(t), "SELECT word FROM kept").Scan(&got)
	return err == nil && got == want
}

func TestStart_after_the_owner_was_killed(t *testing.T) {
	t.Parallel()
	dir := openFolder(t)
	owner := spawnChild(t, dir)
	owner.started()
	adopter, err := Start(deadline(t), Options{DataFolder: dir, FastUnsafe: true})
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	db := open(t, adopter)
	mustExec(t, db, "CREATE TABLE kept AS SELECT 'kept'::text AS word")
	stop(t, adopter)
	// A transaction is open when the owner dies.
	tx, err := db.BeginTx(deadline(t), nil)
	if err != nil {
		t.Fatalf("BeginTx: %v", err)
	}
	defer func() { _ = tx.Rollback() }() // its connection is gone
	if _, err := tx.ExecContext(t.Context(), "INSERT INTO kept VALUES ('lost')"); err != nil {
		t.Fatalf("INSERT: %v", err)
	}
	owner.kill()

	successor := start(t, Options{DataFolder: dir})
	if got, want := show(t, open(t, successor), "SELECT string_agg(word, ',') FROM kept"), "kept"; got != want {
		t.Errorf("rows after kill -9 of the owner: got %q, want %q", got, want)
	}
	log, err := os.ReadFile(successor.location.path("server.log"))
	if err != nil {
		t.Fatalf("ReadFile: %v", err)
	}
	if !strings.Contains(string(log), "received fast shutdown request") {
		t.Errorf("server.log: got %q, want a fast shutdown in it", log)
	}
}

func TestStart_after_initdb_was_killed(t *testing.T) {
	t.Parallel()
	dir := openFolder(t)
	owner := spawnChild(t, dir)
	fresh := dir + "/postgres/data.new"
	eventually(t, "initdb has started", func() bool {
		entries, err := os.ReadDir(fresh)
		return err == nil && len(entries) > 5
	})
	owner.kill()

	c := start(t, Options{DataFolder: dir})
	mustExec(t, open(t, c), "SELECT 1")
	if _, err := os.Lstat(fresh); !os.IsNotExist(err) {
		t.Errorf("half a cluster: got %v, want it gone", err)
	}
}

func TestStart_by_two_processes_at_once(t *testing.T) {
	t.Parallel()
	dir := openFolder(t)
	one, two := spawnChild(t, dir), spawnChild(t, dir)
	owners := 0
	for _, c := range []*child{one, two} {
		if c.started() {
			owners++
		}
	}
	if got, want := owners, 1; got != want {
		t.Errorf("processes that own the server: got %d, want %d", got, want)
	}
	one.stop()
	two.stop()
}

func TestStart_again_when_the_server_dies(t *testing.T) {
	t.Parallel()
	// With FastUnsafe, kill -9 could lose rows that are not written yet.
	c := start(t, Options{DataFolder: openFolder(t), Settings: map[string]string{"synchronous_commit": "on"}})
	db := open(t, c)
	mustExec(t, db, "CREATE TABLE kept AS SELECT 'kept'::text AS word")
	for name, end := range map[string]func(pid int) error{
		"by_kill_9":   func(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) },
		"by_a_signal": func(int) error { return c.location.interrupt() },
	} {
		t.Run(name, func(t *testing.T) {
			before, err := readPidFile(c.location)
			if err != nil {
				t.Fatalf("readPidFile: %v", err)
			}
			if err := end(before.pid); err != nil {
				t.Fatalf("end the server: %v", err)
			}
			eventually(t, "the server is back", func() bool {
				now, err := readPidFile(c.location)
				return err == nil && now.pid != before.pid && hasRow(t, db, "kept")
			})
		})
	}
}
