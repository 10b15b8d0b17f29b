package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/program"
	"portico/internal/testkit/program/programtest"
)

// laterMigration is what a later version does to the tables. The older version can work with them.
const laterMigration = "-- Touches: spaces.\nALTER TABLE spaces ADD COLUMN later text NOT NULL DEFAULT 'added';\n"

// laterVersion builds the program with one migration more.
func laterVersion(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("building the program takes too long for a short run")
	}
	module, err := filepath.Abs("../..")
	check(t, err)
	folder := t.TempDir()
	migration, overlay := filepath.Join(folder, "later.sql"), filepath.Join(folder, "overlay.json")
	check(t, os.WriteFile(migration, []byte(laterMigration), 0o600))
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(module, "db/migrations/0002_later.sql"): migration}})
	check(t, err)
	check(t, os.WriteFile(overlay, replaced, 0o600))
	path, err := program.Build(t.Context(), program.BuildOptions{Overlay: overlay})
	check(t, err)
	return path
}

// content is what an account has, as the API returns it.
type content struct{ space, file string }

func addContent(c *user) content {
	var confirmed struct {
		ResourceKey string `json:"resource_key"`
	}
	c.Call("POST", "/v1/files/upload-complete", api.Completion(c.Put("lamp.glb", api.Text("the bytes of a model")))).Want(200, &confirmed)
	var space struct{ SpaceID string }
	c.Call("POST", "/v1/spaces", map[string]any{"title": "Hall ä"}).Want(201, &space)
	c.Call("POST", "/v1/spaces/"+space.SpaceID+"/entities", map[string]any{
		"entity_id": "lamp", "resource_key": confirmed.ResourceKey, "entity_data": json.RawMessage(`{"n":12345678901234567890}`),
	}).Want(201, nil)
	return content{space.SpaceID, confirmed.ResourceKey}
}

// read returns the content as it is stored now.
func (c content) read(t *testing.T, server *process, u *user) string {
	t.Helper()
	space := u.Call("GET", "/v1/spaces/"+c.space, nil)
	entity := u.Call("GET", "/v1/spaces/"+c.space+"/entities/lamp", nil)
	space.Want(200, nil)
	entity.Want(200, nil)
	file, err := os.ReadFile(filepath.Join(server.dir, "files", "objects", u.ID, c.file))
	check(t, err)
	return strings.ReplaceAll(string(space.Body)+string(entity.Body), server.URL, "") + string(file)
}

// tablesIn returns the tables of a backup without those that change while a server runs.
func tablesIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "database-*", "*.copy"))
	check(t, err)
	tables := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		check(t, err)
		tables[filepath.Base(path)] = string(text)
	}
	for _, changing := range []string{"samples.copy", "request_counts.copy"} {
		delete(tables, changing)
	}
	return tables
}

// TestUpgrade starts a later version over the data of this one: with its private Postgres, from which
// the operator can go back, and beside a replica of this version that serves meanwhile.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	later := laterVersion(t)
	t.Run("keeps everything, and can be undone", func(t *testing.T) {
		t.Parallel()
		testUpgradePrivate(t, later)
	})
	t.Run("goes on beside a replica of the version before", func(t *testing.T) {
		t.Parallel()
		testUpgradeReplicas(t, later)
	})
}

// at is the installation of another program.
func (p *process) at(path string) program.Installation {
	i := installation(p.dir, p.settings...)
	i.Program = path
	return i
}

func testUpgradePrivate(t *testing.T, later string) {
	dir := dataDir(t)
	server := serve(t, dir, "PORTICO_WORKERS=0")
	c := server.newUser(t, "ada@example.com")
	kept := addContent(c)
	want := kept.read(t, server, c)
	before, after := filepath.Join(t.TempDir(), "before"), filepath.Join(t.TempDir(), "after")
	if _, errs, code := runCommand(t, dir, nil, "backup", before); code != 0 {
		t.Fatalf("backup: got %q, %d", errs, code)
	}
	server.Stop()

	upgraded := serveWith(t, server, later)
	upgraded.Logged("the tables are of an older version and are migrated now")
	upgraded.Logged("backed up the database before its migration")
	c = upgraded.reconnect(c)
	if diff := cmp.Diff(want, kept.read(t, upgraded, c)); diff != "" {
		t.Errorf("content (-before +after):\n%s", diff)
	}
	if out, err := server.at(later).Command(nil, "backup", after).CombinedOutput(); err != nil {
		t.Fatalf("backup after the upgrade: %v, %s", err, out)
	}
	upgraded.Stop()
	tables := tablesIn(t, after)
	tables["spaces.copy"] = strings.ReplaceAll(tables["spaces.copy"], "\tadded\n", "\n")
	if diff := cmp.Diff(tablesIn(t, before), tables); diff != "" {
		t.Errorf("tables (-before +after):\n%s", diff)
	}

	// This version refuses the later tables, and says so.
	const refusal = "made by a newer version of Portico, which has the migration 0002_later.sql"
	for _, args := range []string{"serve", "user list", "doctor"} {
		if out, errs, code := runCommand(t, dir, nil, strings.Fields(args)...); code != 1 || !strings.Contains(out+errs, refusal) {
			t.Errorf("%s with the older version: got %q, %q, %d, want %q", args, out, errs, code, refusal)
		}
	}

	// To go back, the operator restores the backup that the later version has made.
	postgresFolder, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
	check(t, err)
	check(t, os.Rename(postgresFolder, postgresFolder+"-later"))
	if out, errs, code := runCommand(t, dir, nil, "restore", filepath.Join(dir, "before-migration")); code != 0 {
		t.Fatalf("restore: got %q, %q, %d", out, errs, code)
	}
	server = serve(t, dir, "PORTICO_WORKERS=0")
	c = server.reconnect(c)
	if diff := cmp.Diff(want, kept.read(t, server, c)); diff != "" {
		t.Errorf("content after going back (-before +after):\n%s", diff)
	}
}

// serveWith serves the data of a server with another program.
func serveWith(t *testing.T, p *process, path string) *process {
	t.Helper()
	return &process{programtest.Serve(t, p.at(path)), p.dir, p.settings}
}

func testUpgradeReplicas(t *testing.T, later string) {
	address := postgres.URL(t, migrate)
	old := serve(t, dataDir(t), "PORTICO_WORKERS=0", "PORTICO_DATABASE_URL="+address, "PORTICO_MIGRATE_DATABASE_URL="+postgres.AdminURL(t, address))
	c := old.newUser(t, "ada@example.com")
	kept := addContent(c)
	want := kept.read(t, old, c)
	if out, err := old.at(later).Command(nil, "migrate").CombinedOutput(); err != nil || !strings.Contains(string(out), "are migrated now") {
		t.Fatalf("migrate: got %s, %v", out, err)
	}
	upgraded := serveWith(t, old, later)
	cLater := upgraded.reconnect(c)
	for server, client := range map[*process]*user{old: c, upgraded: cLater} {
		if diff := cmp.Diff(want, kept.read(t, server, client)); diff != "" {
			t.Errorf("content (-before +after):\n%s", diff)
		}
	}
	// Each reads what the other has written.
	ofOld, ofLater := addContent(c), addContent(cLater)
	if got, want := ofOld.read(t, upgraded, cLater), ofOld.read(t, old, c); got != want {
		t.Errorf("written by the older one: got %s, want %s", got, want)
	}
	if got, want := ofLater.read(t, old, c), ofLater.read(t, upgraded, cLater); got != want {
		t.Errorf("written by the later one: got %s, want %s", got, want)
	}
	old.Stop()
	if out, errs, code := runCommand(t, old.dir, old.settings, "serve"); code != 1 || !strings.Contains(out+errs, "made by a newer version") {
		t.Errorf("the older one again: got %q, %q, %d, want a refusal", out, errs, code)
	}
}
