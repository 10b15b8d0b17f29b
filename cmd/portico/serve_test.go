package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/splat/splattest"
)

// TestServe starts one server for all tests that can share it.
func TestServe(t *testing.T) {
	t.Parallel()
	server := serve(t, dataDir(t))
	t.Run("publishes a capture for a new user", func(t *testing.T) {
		t.Parallel()
		testPublish(t, server)
	})
	t.Run("reports a job's progress by socket, events and polling", func(t *testing.T) {
		t.Parallel()
		testWatch(t, server)
	})
	for _, name := range []string{"a path out of the archive", "a symbolic link", "a ratio bomb", "a wrong checksum"} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			testHostile(t, server, name)
		})
	}
	t.Run("keeps secrets out of its log", func(t *testing.T) {
		t.Parallel()
		testLog(t, server)
	})
	t.Run("refuses a second server at its address", func(t *testing.T) {
		t.Parallel()
		testBusyPort(t, server)
	})
	t.Run("lets the user commands work meanwhile", func(t *testing.T) {
		t.Parallel()
		testUserCommands(t, server)
	})
}

// testPublish follows a new user from the account to a space that is
// deleted again.
func testPublish(t *testing.T, server *process) {
	c := server.newUser(t, "publisher@example.com", "--pro")
	scan := splattest.Capture{Tiles: 5, TileBytes: 3000, Folder: "export", Collision: true, Seed: 1}
	done := c.Await(c.StartJob("My scan.zip", api.Capture(t, scan)))
	if done.Status != "completed" || done.Result == nil || done.Error != nil {
		t.Fatalf("job: got %+v, want it completed with a result", done)
	}
	c.checkCapture(done.Result.URL, scan)

	var space struct {
		SpaceURL string `json:"space_url"`
	}
	c.Call("POST", "/v1/user/create-space", map[string]any{"space_data": map[string]string{
		"title": "Home", "space_type": "hub", "resource_key": done.Result.ResourceKey,
	}}).Want(200, &space)
	id := space.SpaceURL[strings.LastIndex(space.SpaceURL, "/")+1:]
	entities := c.entities(id)
	if len(entities) != 8 || entities[7].EntityType != "UserModelEntity" || entities[7].EntityData["glbUrl"] != done.Result.URL {
		t.Fatalf("entities: got %v, want 7 gates and the file", entities)
	}
	c.configureGate(id, entities[0])
	c.moveGate(id)
	c.Call("POST", "/v1/spaces/update-privacy", map[string]any{"spaceId": id, "roomPrivacy": "Link Only"}).Want(200, nil)
	var read struct{ Privacy string }
	c.Call("GET", "/v1/spaces/"+id, nil).Want(200, &read)
	if read.Privacy != "Link Only" {
		t.Errorf("privacy: got %q, want Link Only", read.Privacy)
	}
	c.Call("DELETE", "/v1/spaces/"+id, nil).Want(200, nil)
	c.Call("GET", "/v1/spaces/"+id, nil).Want(404, nil)
}

type entity struct {
	EntityID   string         `json:"entity_id"`
	EntityType string         `json:"entity_type"`
	EntityData map[string]any `json:"entity_data"`
}

func (c *user) entities(space string) []entity {
	c.T.Helper()
	var page struct{ Entities []entity }
	c.Call("GET", "/v1/spaces/"+space+"/entities", nil).Want(200, &page)
	return page.Entities
}

// configureGate fills a static gate and clears it again.
func (c *user) configureGate(space string, gate entity) {
	c.T.Helper()
	path := "/v1/spaces/" + space + "/entities/" + gate.EntityID
	var changed entity
	c.Call("PUT", path, data("title", "Out", "link", "https://example.com")).Want(200, &changed)
	if got := changed.EntityData; got["title"] != "Out" || got["platform"] != "<auto-detect>" || got["screenSelect"] != 0.0 {
		c.T.Errorf("configured gate: got %v, want its title, platform and the fields that were kept", got)
	}
	c.Call("PUT", path, data("title", "", "link", "", "description", "", "videoURL", "", "logoURL", "", "logoLinkURL", "")).Want(200, &changed)
	if changed.EntityData["title"] != "" || changed.EntityData["link"] != "" {
		c.T.Errorf("cleared gate: got %v, want no title and no link", changed.EntityData)
	}
}

// moveGate makes a dynamic gate, moves it by its position alone and deletes it.
func (c *user) moveGate(space string) {
	c.T.Helper()
	path := "/v1/spaces/" + space + "/entities"
	at := func(x float64) map[string]float64 { return map[string]float64{"x": x, "y": 1, "z": 2} }
	body := data("title", "Door", "dynamicGate", map[string]any{"position": at(0), "rotation": at(90), "hidden": true})
	body["entity_type"] = "DynamicGate"
	var gate entity
	c.Call("POST", path, body).Want(201, &gate)
	c.Call("PUT", path+"/"+gate.EntityID, data("dynamicGate", map[string]any{"position": at(7)})).Want(200, &gate)
	placed, _ := gate.EntityData["dynamicGate"].(map[string]any)
	position, _ := placed["position"].(map[string]any)
	if position["x"] != 7.0 || placed["hidden"] != true || gate.EntityData["title"] != "Door" {
		c.T.Errorf("moved gate: got %v, want it at 7, hidden and with its title", gate.EntityData)
	}
	c.Call("DELETE", path+"/"+gate.EntityID, nil).Want(200, nil)
	c.Call("GET", path+"/"+gate.EntityID, nil).Want(404, nil)
}

// data returns a body whose entity_data has these fields.
func data(fields ...any) map[string]any {
	all := map[string]any{}
	for i := 0; i < len(fields); i += 2 {
		all[fields[i].(string)] = fields[i+1]
	}
	return map[string]any{"entity_data": all}
}

// checkCapture downloads an extracted capture, without a key, as a viewer does.
func (c *user) checkCapture(manifest string, want splattest.Capture) {
	c.T.Helper()
	if got := c.download(manifest); !bytes.Equal(got, want.ManifestJSON()) {
		c.T.Errorf("manifest: got %q, want what was uploaded", got)
	}
	base := strings.TrimSuffix(manifest, want.ManifestName())
	for i := range want.Tiles {
		tile, err := io.ReadAll(want.Tile(i))
		check(c.T, err)
		if got := c.download(base + splattest.TileName(i)); !bytes.Equal(got, tile) {
			c.T.Errorf("tile %d: got %d bytes that differ, want the %d that were uploaded", i, len(got), len(tile))
		}
	}
}

func (c *user) download(address string) []byte {
	c.T.Helper()
	got := c.Send("GET", address, http.Header{}, http.NoBody, 0)
	got.Want(200, nil)
	return got.Body
}

// testWatch follows one job with three APIs at the same time.
func testWatch(t *testing.T, server *process) {
	c := server.newUser(t, "watcher@example.com")
	id := c.StartJob("scan.zip", api.Capture(t, splattest.Capture{Tiles: 300, TileBytes: 100_000, Seed: 2}))
	ways := map[string]func(string) []api.Job{"socket": c.WatchSocket, "events": c.WatchEvents}
	seen := make(chan func(), len(ways))
	for how, watch := range ways {
		go func() {
			states := watch(id)
			seen <- func() { api.CheckStates(t, how, states) }
		}()
	}
	if done := c.Await(id); done.Status != "completed" || done.Progress != 100 {
		t.Errorf("polling: got %+v, want it completed", done)
	}
	for range ways {
		(<-seen)()
	}
}

// testHostile sends a zip that must be refused, and checks that no files remain.
func testHostile(t *testing.T, server *process, name string) {
	var hostile splattest.Hostile
	for _, zip := range splattest.HostileZips() {
		if zip.Name == name {
			hostile = zip
		}
	}
	c := server.newUser(t, strings.ReplaceAll(name, " ", "-")+"@example.com")
	failed := c.Await(c.StartJob("evil.zip", api.Text(string(hostile.Zip))))
	if failed.Status != "failed" || failed.Error == nil || failed.Result != nil {
		t.Fatalf("job: got %+v, want it failed", failed)
	}
	if got := *failed.Error; !strings.Contains(got, hostile.Entry) || !strings.Contains(got, hostile.Reason) {
		t.Errorf("error: got %q, want it to name %q and %q", got, hostile.Entry, hostile.Reason)
	}
	// The job ends before its bytes are gone.
	api.Eventually(t, "nothing of the zip is left", func() bool { return len(objects(t, server.dir, c.ID)) == 0 })
	var files struct{ Count, Total int }
	c.Call("GET", "/v1/files", nil).Want(200, &files)
	if files.Count != 0 {
		t.Errorf("files: got %d, want none", files.Count)
	}
}

// objects returns the files in the store below a user's folder.
func objects(t testing.TB, dir, user string) []string {
	t.Helper()
	return filesBelow(t, filepath.Join(dir, "files", "objects", user))
}

// filesBelow returns the paths of the files in a folder, which may be missing.
func filesBelow(t testing.TB, folder string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil // removed while we look
		}
		if err == nil && !entry.IsDir() {
			name, _ := filepath.Rel(folder, path)
			found = append(found, name)
		}
		return err
	})
	check(t, err)
	return found
}

// testLog looks into the log for what must not be there.
func testLog(t *testing.T, server *process) {
	c := server.newUser(t, "secretive@example.com")
	params := c.Promise("cat.png", 3)
	header := http.Header{"Content-Type": {params.Headers["Content-Type"]}}
	c.Send("PUT", params.URL+"x", header, strings.NewReader("cat"), 3) // refused: no such signature
	c.Send("PUT", params.URL, header, strings.NewReader("cat"), 3).Want(200, nil)
	c.Call("GET", "/v1/nowhere?token=hidden-token", nil).Want(404, nil)
	c.Send("GET", c.URL+"/nothing?token=hidden-token", http.Header{}, http.NoBody, 0).Want(404, nil)
	api.Eventually(t, "the requests are logged", func() bool {
		return strings.Contains(strings.Join(server.Log(), ""), `"/nothing"`)
	})
	log := strings.Join(server.Log(), "\n")
	_, query, _ := strings.Cut(params.URL, "?")
	for what, secret := range map[string]string{"key": c.Key, "signature": query, "query": "hidden-token"} {
		if strings.Contains(log, secret) {
			t.Errorf("log: it has the %s %q, want none", what, secret)
		}
	}
	server.CheckJSON()
}

// testBusyPort starts a server where another one listens.
func testBusyPort(t *testing.T, server *process) {
	address := strings.TrimPrefix(server.URL, "http://")
	_, errs, code := runCommand(t, dataDir(t), []string{"PORTICO_ADDR=" + address}, "serve")
	if code != 1 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "PORTICO_ADDR: ") {
		t.Errorf("second server: got code %d and %q, want 1 and a line that names PORTICO_ADDR", code, errs)
	}
}
