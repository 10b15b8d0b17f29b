package postgres

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// identifier returns what initdb has made up for the cluster of a server.
func identifier(t *testing.T, s *server) (id string) {
	t.Helper()
	if err := s.admin.QueryRowContext(t.Context(), "SELECT system_identifier::text FROM pg_control_system()").Scan(&id); err != nil {
		t.Fatalf("read the identifier: %v", err)
	}
	return id
}

func TestProcess_starts_a_copy_of_the_cluster_of_another_process(t *testing.T) {
	t.Parallel()
	URL(t, migrate)
	if filepath.Dir(shared.server.folder) != memoryFolder {
		t.Skipf("the cluster is not in %s", memoryFolder)
	}
	var p process
	p.allow()
	other, err := p.open(migrate)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if got, want := identifier(t, other), identifier(t, shared.server); got != want {
		t.Errorf("identifier: got %s, want %s", got, want)
	}
}

func TestSnapshot_holds_the_data_and_the_password(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	cluster, copied := filepath.Join(folder, "cluster"), filepath.Join(folder, "copied")
	saved := snapshot{filepath.Join(folder, "snapshots", "0123")}
	if restored, err := saved.restore(copied); restored || err != nil {
		t.Errorf("restore without a snapshot: got %t, %v, want false", restored, err)
	}
	log := append([]byte("written"), make([]byte, 1<<20)...)
	files := map[string][]byte{"password": []byte("secret"), "lock": nil, "data/PG_VERSION": []byte("15\n"), "data/pg_wal/1": log}
	for name, content := range files {
		path := filepath.Join(cluster, name)
		check(t, os.MkdirAll(filepath.Dir(path), 0o700))
		check(t, os.WriteFile(path, content, 0o600))
	}
	for range 2 { // the second replaces the first
		unlock, err := saved.lock()
		check(t, err)
		check(t, saved.save(cluster))
		unlock()
	}
	if restored, err := saved.restore(copied); !restored || err != nil {
		t.Fatalf("restore: got %t, %v, want true", restored, err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(copied, name))
		if name == "lock" {
			if !os.IsNotExist(err) {
				t.Errorf("lock: got %v, want no file", err)
			}
		} else if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: got %d bytes, %v, want %d", name, len(got), err, len(want))
		}
	}
	old := time.Now().Add(-maxAge - time.Minute)
	check(t, os.Chtimes(saved.folder, old, old))
	if restored, err := saved.restore(filepath.Join(folder, "later")); restored || err != nil {
		t.Errorf("restore of an old snapshot: got %t, %v, want false", restored, err)
	}
}

// The tests of a read-only checkout, and of one that another user has tested, have no snapshot. A
// snapshot that does not start was made by a version of PostgreSQL that has been removed, or is
// damaged.
func TestServer_starts_without_a_snapshot_that_works(t *testing.T) {
	t.Parallel()
	noFolder := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(noFolder, nil, 0o600))
	damaged := filepath.Join(t.TempDir(), "0123")
	check(t, os.MkdirAll(filepath.Join(damaged, "data"), 0o700))
	for name, content := range map[string]string{"password": "secret", "data/PG_VERSION": "8\n"} {
		check(t, os.WriteFile(filepath.Join(damaged, name), []byte(content), 0o600))
	}
	for name, saved := range map[string]snapshot{"no folder": {filepath.Join(noFolder, "0123")}, "damaged": {damaged}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, err := makeFolder()
			check(t, err)
			t.Cleanup(func() { check(t, removeFolder(folder)) })
			s := &server{folder: folder}
			check(t, s.writeHBA())
			if err := s.startFrom(t.Context(), saved); err != nil {
				t.Fatalf("start: got %v, want a new cluster", err)
			}
			identifier(t, s)
			check(t, s.stop())
			version, err := os.ReadFile(filepath.Join(saved.folder, "data", "PG_VERSION"))
			if err == nil && string(version) == "8\n" {
				t.Error("the snapshot: got it unchanged, want it replaced")
			}
		})
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
