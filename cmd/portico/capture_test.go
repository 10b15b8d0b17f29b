package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"portico/splat"
	"portico/splat/folder"
	"portico/splat/splattest"
)

// TestCaptures has one server for all that becomes of captures.
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
		{"converts what it is asked to", testConversions},
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
// environment. Converting it takes a moment, in which it can be halted.
func lccScan(t testing.TB) content {
	t.Helper()
	return lccZip(t, splattest.LCCCapture{Folder: "export/scan", Splats: 2500, Levels: 2, Columns: 2, Rows: 2, Harmonics: true, Environment: 100, Seed: 6})
}

func lccZip(t testing.TB, c splattest.LCCCapture) content {
	t.Helper()
	var zip bytes.Buffer
	check(t, c.Zip(&zip))
	return content{int64(zip.Len()), &zip}
}

// testScan uploads a scan, follows it, and looks at all that comes of it.
func testScan(t *testing.T, server *process) {
	c := server.newUser(t, "scanner@example.com")
	id := c.startJob("Old town.zip", lccScan(t))
	checkStates(t, "events", c.watchEvents(id))
	done := c.await(id)
	if done.Status != "completed" || path.Base(done.Result.ResourceKey) != "lod-meta.json" {
		t.Fatalf("job: got %+v, want it completed with a lod-meta.json", done)
	}
	file := c.prepared(done.Result.ResourceKey)
	if f := file.Facts; f.Format != splat.FormatStreamedSOG || fmt.Sprint(f.Levels) != "[2500 1250]" || f.Degree != 3 || f.Environment != 100 {
		t.Errorf("facts: got %+v, want those of the scan", f)
	}
	c.checkServed(server.dir, file)
	c.checkPoster(file)
	if file.Derived == 0 {
		t.Error("derived: got 0 bytes, want the poster's")
	}
	c.awaitUsed(file.Size + file.Derived)
	var graph struct{ Attribution string }
	check(t, graphDoor{c}.ask(`query($key: String!) { file(resourceKey: $key) { attribution } }`, map[string]any{"key": file.ResourceKey}, &graph))
	if file.Attribution != splat.AttributionXGRIDS || graph.Attribution != splat.AttributionXGRIDS {
		t.Errorf("attribution: got %q from REST, %q from GraphQL", file.Attribution, graph.Attribution)
	}
	if _, shown := c.shown(file); shown["glbUrl"] != file.URL || fmt.Sprint(shown["rotation"]) != "map[x:0 y:0 z:180]" {
		t.Errorf("entity: got %v, want %s upside down", shown, file.URL)
	}
	c.await(id) // it is still there, and did not change
	checkNoWork(t, server.dir, id)
}

// testCanceledConversion cancels a job while its process is at it.
func testCanceledConversion(t *testing.T, server *process) {
	c := server.newUser(t, "hesitant@example.com")
	id := c.startJob("scan.zip", lccScan(t))
	pid := server.halt(id)
	canceled := time.Now()
	check(t, graphDoor{c}.ask(`mutation($id: ID!) { cancelJob(id: $id) { status } }`, map[string]any{"id": id}, nil))
	if j := c.job(id); j.Status != "failed" || j.Error == nil || *j.Error != "Canceled" {
		t.Errorf("job: got %+v, want it failed because it was canceled", j)
	}
	eventually(t, "the process that converts has ended", func() bool { return !stillConverts(pid) })
	took := time.Since(canceled)
	t.Logf("the process ended after %v", took.Round(time.Millisecond))
	if took > 5*time.Second { // two are promised, on a machine that has nothing else to do
		t.Errorf("the process ended after %v", took)
	}
	c.checkNothingLeft(server.dir)
	checkNoWork(t, server.dir, id)
}

// testKilledConversion kills the process as the kernel does when memory is used up.
func testKilledConversion(t *testing.T, server *process) {
	c := server.newUser(t, "unlucky@example.com")
	id := c.startJob("scan.zip", lccScan(t))
	check(t, syscall.Kill(server.halt(id), syscall.SIGKILL))
	done := c.await(id)
	if done.Status != "completed" {
		t.Fatalf("job: got %+v, want it completed by another try", done)
	}
	c.checkServed(server.dir, c.prepared(done.Result.ResourceKey))
	checkNoWork(t, server.dir, id)
}

// halt waits for the process that converts for a job and stops it where it is.
func (p *process) halt(jobID string) (pid int) {
	p.t.Helper()
	eventually(p.t, "a process converts", func() bool {
		pid = converting(p.t, p.dir, jobID)
		return pid != 0
	})
	check(p.t, syscall.Kill(pid, syscall.SIGSTOP))
	return pid
}

// converting returns the id of the process that converts for a job; 0 for none.
func converting(t testing.TB, dir, jobID string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("needs /proc")
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		line := commandLineOf(pid)
		if converts(line) && strings.Contains(line, filepath.Join(dir, "work", jobID)) {
			return pid
		}
	}
	return 0
}

// commandLineOf returns the command line of a process; "" when it has ended.
func commandLineOf(pid int) string {
	line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	return string(line)
}

// converts reports whether the command line starts a child that converts.
func converts(line string) bool { return strings.Contains(line, `"task":"convert"`) }

// stillConverts tells whether a process that converts still runs.
func stillConverts(pid int) bool {
	return converts(commandLineOf(pid))
}

// checkNoWork waits until no folder of the job is left where captures are worked on.
func checkNoWork(t testing.TB, dir, jobID string) {
	t.Helper()
	eventually(t, "the folder of the job is removed", func() bool {
		left, err := filepath.Glob(filepath.Join(dir, "work", jobID+"*"))
		return err == nil && len(left) == 0
	})
}

// storedFile is a file as REST lists it.
type storedFile struct {
	ResourceKey string `json:"resource_key"`
	Size        int64  `json:"file_size"`
	URL         string
	ViewURL     string `json:"view_url"`
	PosterURL   string `json:"poster_url"`
	Attribution string
	Derived     int64 `json:"derived_bytes"`
	Facts       *splat.Facts
}

// files lists the files.
func (c *client) files() []storedFile {
	c.t.Helper()
	var page struct{ Files []storedFile }
	c.call("GET", "/v1/files", nil).want(200, &page)
	return page.Files
}

// file waits until the condition holds for a file and returns it.
func (c *client) file(resourceKey, what string, holds func(storedFile) bool) (found storedFile) {
	c.t.Helper()
	eventually(c.t, what, func() bool {
		for _, found = range c.files() {
			if found.ResourceKey == resourceKey {
				return holds(found)
			}
		}
		return false
	})
	return found
}

// prepared waits until a file was looked into and has its poster.
func (c *client) prepared(resourceKey string) storedFile {
	c.t.Helper()
	return c.file(resourceKey, "the file has facts and a poster", func(f storedFile) bool { return f.Facts != nil && f.PosterURL != "" })
}

// fetch downloads a public file.
func (c *client) fetch(address string) []byte {
	c.t.Helper()
	got := c.send("GET", address, nil, nil, 0)
	if got.status != 200 {
		c.t.Errorf("GET %s: got %d, want 200", address, got.status)
	}
	return got.body
}

// checkServed downloads all files of a capture that is stored in the folder and
// reads it as viewers do.
func (c *client) checkServed(dir string, file storedFile) {
	c.t.Helper()
	root := path.Dir(file.ResourceKey)
	served, size := folder.Memory{}, int64(0)
	for _, name := range objects(c.t, dir, c.id) {
		if name, ok := strings.CutPrefix(name, root+"/"); ok {
			served[name] = c.fetch(strings.TrimSuffix(file.URL, path.Base(file.URL)) + name)
			size += int64(len(served[name]))
		}
	}
	if size != file.Size {
		c.t.Errorf("size: got %d bytes served, want %d", size, file.Size)
	}
	facts, err := splat.Inspect(c.t.Context(), served, path.Base(file.ResourceKey))
	if err != nil || facts.Splats != file.Facts.Splats || facts.Format != file.Facts.Format {
		c.t.Errorf("what is served: got %+v, %v, want %+v", facts, err, file.Facts)
	}
}

// checkReferences downloads what a streamed SOG names: its chunks, and their images.
func (c *client) checkReferences(address string) {
	c.t.Helper()
	var manifest struct {
		Filenames   []string
		Environment string
	}
	check(c.t, json.Unmarshal(c.fetch(address), &manifest))
	if len(manifest.Filenames) == 0 || manifest.Environment == "" {
		c.t.Fatalf("manifest: got %+v, want chunks and an environment", manifest)
	}
	for _, chunk := range append(manifest.Filenames, manifest.Environment) {
		chunk = strings.TrimSuffix(address, path.Base(address)) + chunk
		fields := map[string]json.RawMessage{}
		check(c.t, json.Unmarshal(c.fetch(chunk), &fields))
		for _, field := range fields {
			var images struct{ Files []string }
			if json.Unmarshal(field, &images) == nil {
				for _, image := range images.Files {
					c.fetch(strings.TrimSuffix(chunk, path.Base(chunk)) + image)
				}
			}
		}
	}
}

// checkPoster looks at the picture of a file.
func (c *client) checkPoster(file storedFile) {
	c.t.Helper()
	picture := c.fetch(file.PosterURL)
	if config, err := jpeg.DecodeConfig(bytes.NewReader(picture)); err != nil || config.Width != 640 || config.Height != 400 {
		c.t.Errorf("poster: got %d x %d, %v, want 640 x 400", config.Width, config.Height, err)
	}
}

// shown makes a space of a file and returns its id and the data of its entity.
func (c *client) shown(file storedFile) (space string, data map[string]any) {
	c.t.Helper()
	var made struct {
		ID string `json:"spaceId"`
	}
	c.call("POST", "/v1/spaces", map[string]any{"resource_key": file.ResourceKey}).want(201, &made)
	entities := c.entities(made.ID)
	if len(entities) == 0 {
		c.t.Fatal("the space has no entity")
	}
	return made.ID, entities[len(entities)-1].EntityData
}

// checkNothingLeft waits until nothing of the account's files is stored.
func (c *client) checkNothingLeft(dir string) {
	c.t.Helper()
	c.awaitUsed(0)
	if got := c.files(); len(got) != 0 {
		c.t.Errorf("files: got %+v, want none", got)
	}
	eventually(c.t, "all objects are removed", func() bool { return len(objects(c.t, dir, c.id)) == 0 })
}
