package main

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/s3"
	"portico/splat/splattest"
)

// serveBeside starts a server on the Postgres of the tests.
func serveBeside(t *testing.T, settings ...string) *process {
	t.Helper()
	return serve(t, dataDir(t), append(settings, "PORTICO_DATABASE_URL="+postgres.URL(t, migrate))...)
}

// TestCaptures_outlive_their_server kills a server in the middle of a conversion.
func TestCaptures_outlive_their_server(t *testing.T) {
	t.Parallel()
	server := serveBeside(t)
	dir := server.dir
	c := server.newUser(t, "patient@example.com")
	id := c.StartJob("scan.zip", longLCCScan(t))
	pid := server.halt(id)
	if left, err := filepath.Glob(filepath.Join(dir, "work", id+"*")); err != nil || len(left) != 1 {
		t.Errorf("folders of the job: got %q, %v, want one", left, err)
	}
	check(t, server.Cmd.Process.Kill())
	server.Wait()
	api.Eventually(t, "the process that converts has ended", func() bool { return !stillConverts(pid) })

	recovered := startTimer(t, "job completed after the kill")
	c = serve(t, dir, server.settings...).reconnect(c)
	done := c.Await(id)
	recovered()
	if done.Status != "completed" {
		t.Fatalf("job: got %+v, want it completed", done)
	}
	c.checkServed(dir, c.awaitPrepared(done.Result.ResourceKey))
	checkNoWork(t, dir, id)
}

// TestCaptures_beyond_their_memory converts a capture that needs more memory than
// it may have. The job fails, and nothing else.
func TestCaptures_beyond_their_memory(t *testing.T) {
	t.Parallel()
	server := serveBeside(t, "PORTICO_CONVERT_MEMORY=64MiB")
	c := server.newUser(t, "greedy@example.com")
	scan := lccZip(t, splattest.LCCCapture{Splats: 300_000, Levels: 1, Columns: 1, Rows: 1, Seed: 8})
	id := c.StartJob("scan.zip", scan)
	done := c.Await(id)
	if done.Status != "failed" || done.Error == nil || !strings.HasPrefix(*done.Error, "Out of memory") {
		t.Errorf("job: got %+v, want it failed for want of memory", done)
	}
	check(t, probe(server.URL+"/readyz"))
	c.checkNothingLeft(server.dir)
	checkNoWork(t, server.dir, id)
}

// TestCaptures_in_a_bucket converts a scan that lies in a bucket to one there.
func TestCaptures_in_a_bucket(t *testing.T) {
	t.Parallel()
	gateway := s3.Start(t)
	server := serveBeside(t, append(s3.Environment(), "PORTICO_STORAGE_URL=s3://"+gateway.Bucket(t)+"?endpoint="+gateway.Endpoint)...)
	c := server.newUser(t, "remote@example.com")
	scan := lccScan(t)
	id := c.StartJob("scan.zip", scan)
	done := c.Await(id)
	if done.Status != "completed" {
		t.Fatalf("job: got %+v, want it completed", done)
	}
	file := c.awaitPrepared(done.Result.ResourceKey)
	if !strings.HasPrefix(file.URL, gateway.Endpoint) || path.Base(file.URL) != "lod-meta.json" {
		t.Errorf("address: got %s, want a lod-meta.json in the bucket", file.URL)
	}
	c.checkReferences(file.URL)
	c.checkPoster(file)
	c.deleteFile(file)
	if got := c.Send("GET", file.URL, nil, nil, 0); got.Status != 404 {
		t.Errorf("a file that was deleted: got %d, want 404", got.Status)
	}
	c.AwaitUsed(scan.Size) // which a bucket takes once more until its address expires
	checkNoWork(t, server.dir, id)
}
