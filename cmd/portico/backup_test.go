package main

import (
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/splat/splattest"
)

// A server is backed up while it runs, and restored on another machine: an empty data folder. Keys,
// files and the job that waited are there.
func TestBackup_of_a_running_server_is_restored_elsewhere(t *testing.T) {
	t.Parallel()
	server := serve(t, dataDir(t), "PORTICO_WORKERS=0")
	c := server.newUser(t, "ada@example.com", "--pro")
	var confirmed struct {
		ResourceKey string `json:"resource_key"`
	}
	c.Call("POST", "/v1/files/upload-complete", api.Completion(c.Put("lamp.glb", api.Text("the bytes of a model")))).Want(200, &confirmed)
	var space struct{ SpaceID string }
	c.Call("POST", "/v1/spaces", map[string]any{"title": "Hall"}).Want(201, &space)
	c.Call("POST", "/v1/spaces/"+space.SpaceID+"/entities", map[string]any{"entity_id": "lamp", "resource_key": confirmed.ResourceKey}).Want(201, nil)
	scan := splattest.Capture{Tiles: 3, TileBytes: 1000, Seed: 1}
	waiting := c.StartJob("scan.zip", api.Capture(t, scan))

	folder := filepath.Join(t.TempDir(), "backup")
	for _, want := range []string{"2 of them copied", "0 of them copied"} {
		if out, errs, code := runCommand(t, server.dir, nil, "backup", folder); code != 0 || errs != "" || !strings.Contains(out, want) {
			t.Fatalf("backup: got %q, %q, %d, want %q", out, errs, code, want)
		}
	}
	c.Call("GET", "/v1/user/me", nil).Want(200, nil) // it went on
	if _, errs, code := runCommand(t, server.dir, nil, "restore", folder); code != 1 || !strings.Contains(errs, "Stop all of them first") {
		t.Errorf("restore into the server that runs: got %q, %d, want that it must stop", errs, code)
	}
	server.Stop()
	if _, errs, code := runCommand(t, server.dir, nil, "restore", folder); code != 1 || !strings.Contains(errs, "the database is not empty") {
		t.Errorf("restore over the server: got %q, %d, want that the database is not empty", errs, code)
	}

	elsewhere := dataDir(t)
	if out, errs, code := runCommand(t, elsewhere, nil, "restore", folder); code != 0 || errs != "" || !strings.Contains(out, "2 files") {
		t.Fatalf("restore: got %q, %q, %d, want 2 files", out, errs, code)
	}
	restored := serve(t, elsewhere)
	c = restored.reconnect(c)
	var entity struct {
		Data struct {
			GLBURL string `json:"glbUrl"`
		} `json:"entity_data"`
	}
	c.Call("GET", "/v1/spaces/"+space.SpaceID+"/entities/lamp", nil).Want(200, &entity)
	_, file, _ := strings.Cut(entity.Data.GLBURL, "/files/")
	if status, content := fetch(t, restored.URL+"/files/"+file); status != 200 || string(content) != "the bytes of a model" {
		t.Errorf("file: got %d, %q, want the model", status, content)
	}
	if done := c.Await(waiting); done.Status != "completed" {
		t.Errorf("waiting job: got %+v, want it completed", done)
	}
}
