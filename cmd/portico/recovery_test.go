package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/internal/testkit/api"
	"portico/internal/testkit/program"
	"portico/internal/testkit/program/programtest"
	"portico/splat/splattest"
)

// tilesOfLongJob are so many files that their job takes seconds: a test sees it at work on a busy
// machine, too.
const tilesOfLongJob = 10_000

// The test kills a server in the middle of a job, which the next server completes. Nothing stray is
// left on the disk.
func TestServer_completes_the_job_of_a_killed_server(t *testing.T) {
	t.Parallel()
	server := serve(t, dataDir(t))
	c := server.newUser(t, "survivor@example.com")
	scan := splattest.Capture{Tiles: tilesOfLongJob, TileBytes: 2000, Seed: 3}
	id := c.StartJob("scan.zip", api.Capture(t, scan))
	seen := c.Poll(id, "the job is at work", func(j api.Job) bool { return j.Progress > 5 })
	if seen.Ended() {
		t.Fatalf("job: got %+v, want it to be at work", seen)
	}
	check(t, server.Cmd.Process.Kill())
	server.Wait()

	started := startTimer(t, "start after a kill")
	recovered := startTimer(t, "job completed after the kill")
	server = serve(t, server.dir)
	c = server.reconnect(c)
	started()
	last := seen.Progress
	done := c.Poll(id, "the job has ended", func(j api.Job) bool {
		if j.Progress < last {
			t.Errorf("progress after the kill: got %v after %v, want it never to fall", j.Progress, last)
		}
		last = j.Progress
		return j.Ended()
	})
	recovered()
	if done.Status != "completed" {
		t.Fatalf("job: got %+v, want it completed", done)
	}
	c.checkStored(server.dir, done.Result.ResourceKey, scan)
	c.Call("POST", "/v1/spaces", map[string]any{"resource_key": done.Result.ResourceKey}).Want(201, nil)
}

// checkStored compares the files on the disk with what the capture must have
// left: nothing more, nothing less.
func (c *user) checkStored(dir, resourceKey string, scan splattest.Capture) {
	c.T.Helper()
	folder := filepath.Dir(resourceKey)
	want := []string{resourceKey}
	for i := range scan.Tiles {
		want = append(want, folder+"/"+splattest.TileName(i))
	}
	slices.Sort(want)
	// The zip is deleted just after the job has ended.
	api.Eventually(c.T, "the zip is removed", func() bool { return len(objects(c.T, dir, c.ID)) <= len(want) })
	got := objects(c.T, dir, c.ID)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		c.T.Errorf("files in the store (-want +got):\n%s", diff)
	}
	if stray := filesBelow(c.T, filepath.Join(dir, "files", "incoming")); len(stray) != 0 {
		c.T.Errorf("files on their way: got %q, want none", stray)
	}
}

// The test stops a server in the middle of a job that two clients watch, as an update does. Both
// subscriptions end, no goroutine and no Postgres is left, and the next server completes the job.
func TestServer_completes_the_job_of_a_stopped_server(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := &process{Process: programtest.Serve(t, installation(dir), beProgram+"=", beLeaky+"=1"), dir: dir}
	c := server.newUser(t, "updated@example.com")
	id := c.StartJob("scan.zip", api.Capture(t, splattest.Capture{Tiles: tilesOfLongJob, TileBytes: 2000, Seed: 4}))
	watching := c.watch(id)
	seen := c.Poll(id, "the job is at work", func(j api.Job) bool { return j.Progress > 3 })
	if seen.Ended() {
		t.Fatalf("job: got %+v, want it to be at work", seen)
	}
	ended := startTimer(t, "stop with a job at work")
	server.Signal(syscall.SIGTERM)
	watching.wantStopped()
	if code := server.Wait(); code != 0 { // 1 if a goroutine is left
		t.Errorf("exit code: got %d, want 0\n%s", code, strings.Join(server.Log(), "\n"))
	}
	ended()
	awaitNoPostgres(t, dir)
	recovered := startTimer(t, "job completed after the stop")
	if done := serve(t, dir).reconnect(c).Await(id); done.Status != "completed" {
		t.Errorf("job: got %+v, want it completed", done)
	}
	recovered()
}

// The test uploads a large zip and checks the server's peak memory. The race detector takes
// memory itself, so the server is the program as it is released.
func TestServer_needs_little_memory_for_a_large_zip(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a large file")
	}
	built, err := program.Build(t.Context(), program.BuildOptions{})
	check(t, err)
	dir := dataDir(t)
	released := installation(dir)
	released.Program = built
	server := &process{Process: programtest.Serve(t, released), dir: dir}
	c := server.newUser(t, "large@example.com")
	uploaded := startTimer(t, "200 MB")
	done := c.Await(c.StartJob("large.zip", api.Capture(t, splattest.Capture{Tiles: 100, TileBytes: 2_000_000, Seed: 5})))
	uploaded()
	if done.Status != "completed" {
		t.Fatalf("job: got %+v, want it completed", done)
	}
	const maxKiB = 150 << 10
	got := peakMemory(t, server.Cmd.Process.Pid)
	t.Logf("peak memory: %d MiB", got>>10)
	if got > maxKiB {
		t.Errorf("peak memory: got %d KiB, want at most %d", got, maxKiB)
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s+([0-9]+) kB`)

// peakMemory returns the largest resident set of the process in KiB.
func peakMemory(t testing.TB, pid int) int {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if os.IsNotExist(err) {
		t.Skip("needs /proc")
	}
	check(t, err)
	kib, err := strconv.Atoi(string(highWater.FindSubmatch(status)[1]))
	check(t, err)
	return kib
}

// The test keeps the data in a folder that nobody else may enter, like the home
// of root: Postgres, which then runs as another user, must live elsewhere.
func TestServe_accepts_a_folder_that_Postgres_cannot_enter(t *testing.T) {
	t.Parallel()
	home, err := os.MkdirTemp("", "portico-home-")
	check(t, err)
	t.Cleanup(func() { check(t, os.RemoveAll(home)) })
	dir := filepath.Join(home, "data")
	t.Cleanup(func() { // the cluster that is not below it
		if elsewhere, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres")); err == nil {
			check(t, os.RemoveAll(elsewhere))
		}
	})
	server := serve(t, dir)
	c := server.newUser(t, "root@example.com")
	c.Call("GET", "/v1/user/me", nil).Want(200, nil)
	server.Stop()
	awaitNoPostgres(t, dir)
}
