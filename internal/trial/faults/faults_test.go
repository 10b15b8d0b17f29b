package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newTestStage builds the program for a test.
func newTestStage(t *testing.T) *stage {
	t.Helper()
	if testing.Short() {
		t.Skip("faults take too long for a short run")
	}
	s, err := newStage(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// check ends the test at an error.
func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// checkWhole fails the test with what a scenario complains of.
func checkWhole(t *testing.T, found *tally) {
	t.Helper()
	var report strings.Builder
	found.print(&report)
	t.Log(report.String())
	if len(found.broken) > 0 {
		t.Error("something was lost or broken")
	}
}

// The short form: what the command does for minutes, for seconds.
func TestFaults(t *testing.T) {
	t.Parallel()
	shared := newTestStage(t)
	t.Run("loses nothing when the server is killed, and would report a loss", func(t *testing.T) {
		t.Parallel()
		testPublish(t, shared)
	})
	t.Run("loses nothing when the database is killed and cut off", func(t *testing.T) {
		t.Parallel()
		short := scenario{name: "postgres", share: 1, limit: 3 * time.Minute, inject: func(ctx context.Context, w *world, runs int) error {
			return w.publishThroughFaults(ctx, runs, []databaseFault{
				{"kills of postgres", func(ctx context.Context, _ *relay) error { return w.database.signal(ctx, syscall.SIGKILL) }},
				{"cuts", func(ctx context.Context, r *relay) error { return cut(ctx, r, 300*time.Millisecond, true) }},
			})
		}}
		checkWhole(t, short.run(t.Context(), shared, 4))
	})
	t.Run("loses nothing when the primary is killed and its standby takes over", func(t *testing.T) {
		t.Parallel()
		short := scenario{name: "failover", share: 1, limit: 5 * time.Minute, ownDatabase: true, inject: func(ctx context.Context, w *world, _ int) error {
			slow := failoverLimits{back: time.Minute, wait: attemptLimit} // other tests use the machine, too
			return w.failThrough(ctx, slow, func(f *failover) []failoverFault { return f.faults()[:1] })
		}}
		checkWhole(t, short.run(t.Context(), shared, 1))
	})
}

// testPublish publishes under fire and audits. Then it breaks the store and the
// tables by hand: nothing of that may pass. The worker is spared, since a job whose
// worker is killed waits for its lease.
func testPublish(t *testing.T, shared *stage) {
	found := newTally("publish")
	w, err := newWorld(shared, "publish", found)
	check(t, err)
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	check(t, w.startDatabase(t.Context()))
	server, err := w.newServer(t.Context(), "server")
	check(t, err)
	worker := w.newWorker("worker")
	check(t, startAll(t.Context(), server, worker))
	users, err := w.addUsers(t.Context(), 4, server, true)
	check(t, err)
	all, err := w.publishUnderFire(t.Context(), 5, users, server)
	check(t, err)
	check(t, w.audit(t.Context(), users, all, server, worker))
	checkWhole(t, found)

	byKind := map[string]*published{}
	for _, p := range all {
		byKind[p.kind] = p
	}
	objects := filepath.Join(w.data, "files", "objects")
	tiles, mesh, scan := byKind["tiles"], byKind["mesh"], byKind["scan"]
	check(t, os.Remove(filepath.Join(objects, tiles.userID, filepath.Dir(tiles.resourceKey), "data", "3dgs", "7.sog")))
	check(t, os.WriteFile(filepath.Join(objects, mesh.userID, mesh.resourceKey), bytes.Repeat([]byte{'x'}, len(mesh.body)), 0o600))
	check(t, os.WriteFile(filepath.Join(objects, mesh.userID, "stray.bin"), []byte("stray"), 0o600))
	check(t, w.database.exec(t.Context(),
		"UPDATE files SET derived_bytes = derived_bytes + 1 WHERE resource_key = '"+scan.resourceKey+"'",
		"DELETE FROM entities WHERE space_id = '"+scan.spaceID+"' AND entity_id = 'published'",
		"UPDATE uploads SET state = 'processing' WHERE resource_key = '"+mesh.resourceKey+"'",
		"UPDATE jobs SET status = 'failed', error = 'Out of luck' WHERE result_key = '"+tiles.resourceKey+"'"))
	check(t, w.compare(t.Context(), users, all))
	complaints := strings.Join(found.broken, "\n")
	for _, want := range []string{
		": 40 objects of", `"data/3dgs/7.sog" is not there`, "holds other bytes", "orphan object of 5 bytes", "are counted",
		"its space or its entity is not there", "upload that is processed by nobody", "a job failed: Out of luck", "bytes, and ",
	} {
		if !strings.Contains(complaints, want) {
			t.Errorf("complaints: got\n%s\nwant %q in them", complaints, want)
		}
	}
	if got, want := found.counts[countLost], 4; got != want { // the tile twice, the mesh, the entity
		t.Errorf("lost: got %d, want %d", got, want)
	}
}
