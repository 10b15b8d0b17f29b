package main

import (
	"bytes"
	"fmt"
	"path"
	"syscall"
	"testing"
	"time"

	"portico/internal/testkit/api"
	"portico/splat"
	"portico/splat/splattest"
)

// TestCaptures runs everything that happens to captures on one server.
func TestCaptures(t *testing.T) {
	t.Parallel()
	server := serve(t, dataDir(t))
	for _, test := range []struct {
		name string
		run  func(*testing.T, *process)
	}{
		{"publishes a scan with all its levels", testScan},
		{"leaves nothing of a conversion that is canceled", testCanceledConversion},
		{"converts again when the process is killed", testKilledConversion},
		{"converts to the requested format", testConversions},
		{"confines the process that converts", testConfinement},
		{"makes a view of what viewers cannot read", testView},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, server)
		})
	}
}

// lccScan returns the zip of an LCC capture with harmonics, two levels and an
// environment. It has one cell of 30 m: each further cell costs as much time again for its
// collision.
func lccScan(t testing.TB) api.Content {
	t.Helper()
	return lccScanOf(t, 2500)
}

// longLCCScan is an lccScan whose conversion takes a second or more, so that a test finds its process
// and can halt it. On a busy machine, the process of an lccScan can end between two searches for it.
func longLCCScan(t testing.TB) api.Content {
	t.Helper()
	return lccScanOf(t, 40_000)
}

func lccScanOf(t testing.TB, splats int) api.Content {
	t.Helper()
	return lccZip(t, splattest.LCCCapture{Folder: "export/scan", Splats: splats, Levels: 2, Columns: 1, Rows: 1, Harmonics: true, Environment: 100, Seed: 6})
}

func lccZip(t testing.TB, c splattest.LCCCapture) api.Content {
	t.Helper()
	var zip bytes.Buffer
	check(t, c.Zip(&zip))
	return api.Content{Size: int64(zip.Len()), Source: &zip}
}

// testScan uploads a scan, follows its job, and checks every result.
func testScan(t *testing.T, server *process) {
	c := server.newUser(t, "scanner@example.com")
	id := c.StartJob("Old town.zip", lccScan(t))
	api.CheckStates(t, "events", c.WatchEvents(id))
	done := c.Await(id)
	if done.Status != "completed" || path.Base(done.Result.ResourceKey) != "lod-meta.json" {
		t.Fatalf("job: got %+v, want it completed with a lod-meta.json", done)
	}
	file := c.awaitPrepared(done.Result.ResourceKey)
	if f := file.Facts; f.Format != splat.FormatStreamedSOG || fmt.Sprint(f.Levels) != "[2500 1250]" || f.Degree != 3 || f.Environment != 100 {
		t.Errorf("facts: got %+v, want the facts of the scan", f)
	}
	c.checkServed(server.dir, file)
	c.checkPoster(file)
	if file.Derived == 0 {
		t.Error("derived: got 0 bytes, want the poster's")
	}
	c.AwaitUsed(file.Size + file.Derived)
	var graph struct{ Attribution string }
	check(t, c.GraphQL(`query($key: ID!) { file(id: $key) { attribution } }`, map[string]any{"key": file.ResourceKey}, &graph))
	if file.Attribution != splat.AttributionXGRIDS || graph.Attribution != splat.AttributionXGRIDS {
		t.Errorf("attribution: got %q from REST, %q from GraphQL", file.Attribution, graph.Attribution)
	}
	if _, shown := c.createSpaceOf(file); shown["glbUrl"] != file.URL || fmt.Sprint(shown["rotation"]) != "map[x:0 y:0 z:180]" {
		t.Errorf("entity: got %v, want %s upside down", shown, file.URL)
	}
	c.Await(id) // it is still there, and did not change
	checkNoWork(t, server.dir, id)
}

// testCanceledConversion cancels a job while its process converts.
func testCanceledConversion(t *testing.T, server *process) {
	c := server.newUser(t, "hesitant@example.com")
	id := c.StartJob("scan.zip", longLCCScan(t))
	pid := server.halt(id)
	canceled := time.Now()
	check(t, c.GraphQL(`mutation($id: ID!) { cancelJob(input: {jobId: $id}) { job { status } } }`, map[string]any{"id": id}, nil))
	if j := c.Job(id); j.Status != "failed" || j.Error == nil || *j.Error != "Canceled" {
		t.Errorf("job: got %+v, want it failed because it was canceled", j)
	}
	api.Eventually(t, "the process that converts has ended", func() bool { return !stillConverts(pid) })
	t.Logf("the process ended after %v", time.Since(canceled).Round(time.Millisecond))
	c.checkNothingLeft(server.dir)
	checkNoWork(t, server.dir, id)
}

// testKilledConversion kills the process as the kernel does when memory is used up.
func testKilledConversion(t *testing.T, server *process) {
	c := server.newUser(t, "unlucky@example.com")
	id := c.StartJob("scan.zip", longLCCScan(t))
	check(t, syscall.Kill(server.halt(id), syscall.SIGKILL))
	done := c.Await(id)
	if done.Status != "completed" {
		t.Fatalf("job: got %+v, want it completed by another try", done)
	}
	c.checkServed(server.dir, c.awaitPrepared(done.Result.ResourceKey))
	checkNoWork(t, server.dir, id)
}
