package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portico/db"
	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/splat/splattest"
)

// exported is an account with something of everything, and the server that it is on.
type exported struct {
	*client
	t       *testing.T
	server  *process
	address string // of the database
	space   string // a hub, which leads to the other space
	other   string
	zip     string // the path of the export
}

// accountToExport makes the account.
func accountToExport(t *testing.T) *exported {
	t.Helper()
	address := postgres.URL(t, migrate)
	server := serve(t, dataDir(t), "PORTICO_DATABASE_URL="+address)
	e := &exported{client: server.newUser(t, "ada@example.com", "--name", "Ada", "--pro"), t: t, server: server, address: address}
	friend := server.newUser(t, "friend@example.com", "--name", "Friend")
	check(t, e.GraphQL(`mutation ($id: ID!) { followUser(input: {userId: $id}) { user { id } } }`, map[string]any{"id": friend.ID}, nil))
	var confirmed struct {
		ResourceKey string `json:"resource_key"`
	}
	picture := e.Put("Bild ä.glb", api.Text("the bytes of a model"))
	e.Call("POST", "/v1/files/upload-complete", api.Completion(picture)).Want(200, &confirmed)
	model := e.Await(e.StartJob("lamp.zip", api.Text(zipOf(t, map[string]string{
		"lamp/lamp.gltf": `{"asset":{"version":"2.0"},"buffers":[{"uri":"lamp.bin","byteLength":4}]}`, "lamp/lamp.bin": "1234",
	}))))
	var hub, other struct{ SpaceID string }
	e.Call("POST", "/v1/spaces", map[string]any{"title": "Other", "privacy": "Link Only"}).Want(201, &other)
	e.Call("POST", "/v1/spaces", map[string]any{"title": "Hub", "space_type": "hub"}).Want(201, &hub)
	e.Call("PUT", "/v1/spaces/"+other.SpaceID, map[string]any{"custom": "kept"}).Want(200, nil)
	e.Call("PUT", "/v1/spaces/"+hub.SpaceID, map[string]any{"home": other.SpaceID}).Want(200, nil)
	e.space, e.other = hub.SpaceID, other.SpaceID
	entities := "/v1/spaces/" + hub.SpaceID + "/entities"
	e.Call("POST", entities, map[string]any{"entity_id": "picture", "resource_key": confirmed.ResourceKey}).Want(201, nil)
	e.Call("POST", entities, map[string]any{"entity_id": "lamp", "resource_key": model.Result.ResourceKey}).Want(201, nil)
	e.Call("POST", entities, map[string]any{"entity_id": "door", "entity_type": "DynamicGate", "entity_data": json.RawMessage(
		`{"link":"custom.travel.center.` + other.SpaceID + `","n":12345678901234567890,"dynamicGate":{"position":{"x":1,"y":0,"z":2},"rotation":{"x":0,"y":90,"z":0}}}`)}).Want(201, nil)
	e.workspace(hub.SpaceID)
	return e
}

// zipOf returns a zip with these files.
func zipOf(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	writer := zip.NewWriter(&b)
	for name, content := range files {
		entry, err := writer.Create(name)
		check(t, err)
		_, err = io.WriteString(entry, content)
		check(t, err)
	}
	check(t, writer.Close())
	return b.String()
}

// workspace adds a plugin and an asset, an entity that runs the plugin, and removes a gate.
func (e *exported) workspace(space string) {
	e.t.Helper()
	f := spaceFolder{e.t, filepath.Join(e.t.TempDir(), "hub"), e.server.dir, e.env()}
	if out, code := f.pull(space); code != 0 {
		e.t.Fatalf("pull: %s", out)
	}
	f.write(clockFile, "export default 1\n")
	f.write("space/assets/note.bin", strings.Repeat("note", 1000))
	f.write("space/assets/hall.bin", strings.Repeat("hall", maxInline/4+1)) // too large for a change set
	check(e.t, os.Remove(filepath.Join(f.dir, firstGate(e.t, f.dir))))
	f.must("push")
	var found struct{ Files []struct{ Path, URL string } }
	check(e.t, e.GraphQL(`query ($id: ID!) { exportSpace(spaceId: $id) { files { path url } } }`, map[string]any{"id": space}, &found))
	for _, file := range found.Files {
		if file.Path == clockFile {
			f.write("space/entities/clock.json", `{"type":"UserModelEntity","data":{"glbUrl":"`+file.URL+`"}}`)
		}
	}
	f.must("push")
}

func (e *exported) env() []string {
	return append([]string{"PORTICO_URL=" + e.server.URL, "PORTICO_KEY=" + e.Key}, e.server.settings...)
}

// download downloads the export by the address that GraphQL returns, without a key.
func (e *exported) download() {
	e.t.Helper()
	var asked struct{ URL string }
	check(e.t, e.GraphQL(`mutation { exportAccount { url expiresAt } }`, nil, &asked))
	address := asked.URL
	if status, _ := fetch(e.t, strings.Replace(address, e.ID, "12345678", 1)); status != http.StatusForbidden {
		e.t.Errorf("address for another account: got %d, want 403", status)
	}
	if status, _ := fetch(e.t, strings.Replace(address, "expires=", "expires=1", 1)); status != http.StatusForbidden {
		e.t.Errorf("address with another expiry: got %d, want 403", status)
	}
	status, content := fetch(e.t, address)
	if status != http.StatusOK {
		e.t.Fatalf("download: got %d, %s", status, content)
	}
	for _, secret := range []string{e.Key, "argon2", "password"} {
		if bytes.Contains(content, []byte(secret)) {
			e.t.Errorf("export: got %q in it, want no secrets", secret)
		}
	}
	e.zip = filepath.Join(e.t.TempDir(), "ada.zip")
	check(e.t, os.WriteFile(e.zip, content, 0o600))
}

// fetch returns the status and the body of an address.
func fetch(t *testing.T, address string) (int, []byte) {
	t.Helper()
	answer, err := http.Get(address)
	check(t, err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	check(t, err)
	return answer.StatusCode, content
}

// given matches the ids that an account, a file or a space gets when it is made.
var given = regexp.MustCompile(`[0-9]{8}(/|_[a-z0-9]{26})|api_uploads/[a-z0-9]{26}|(entity|file|plugin|asset) [0-9a-f]{64}`)

// pulled returns the files of a space as text, without the ids that an import assigns.
func (e *exported) pulled(space string) map[string]string {
	e.t.Helper()
	answer := e.Call("POST", "/v1/spaces/"+space+"/pull", nil)
	archive, err := zip.NewReader(bytes.NewReader(answer.Body), int64(len(answer.Body)))
	check(e.t, err)
	files := map[string]string{}
	for _, entry := range archive.File {
		if entry.Name == manifestName {
			continue // it has the hashes of the others
		}
		r, err := entry.Open()
		check(e.t, err)
		content, err := io.ReadAll(r)
		check(e.t, err)
		files[entry.Name] = string(content)
		if !strings.HasPrefix(entry.Name, "space/assets/") { // the bytes of an asset are kept as they are
			files[entry.Name] = given.ReplaceAllString(files[entry.Name], "GIVEN")
		}
	}
	return files
}

// shown returns the bytes of the file that an entity shows.
func (e *exported) shown(space, entity string) string {
	e.t.Helper()
	var found struct {
		Data struct {
			GLBURL string `json:"glbUrl"`
		} `json:"entity_data"`
	}
	e.Call("GET", "/v1/spaces/"+space+"/entities/"+entity, nil).Want(200, &found)
	status, content := fetch(e.t, found.Data.GLBURL)
	if status != http.StatusOK {
		e.t.Errorf("%s: got %d for %s", entity, status, found.Data.GLBURL)
	}
	return string(content)
}

// An account is exported, deleted and imported again: the same files, the same spaces.
func TestImport_makes_an_exported_account_again(t *testing.T) {
	t.Parallel()
	e := accountToExport(t)
	e.download()
	testImportRefusals(t, e)
	byOperator := filepath.Join(t.TempDir(), "operator.zip")
	if out, errs, code := command(t, e.server.dir, e.server.settings, "export", "--user", "ada@example.com", byOperator); code != 0 {
		t.Fatalf("export: got %q, %q, %d", out, errs, code)
	}
	spaces := map[string]map[string]string{e.space: e.pulled(e.space), e.other: e.pulled(e.other)}
	bytesOf := map[string]string{}
	for _, entity := range []string{"picture", "lamp", "clock"} {
		bytesOf[entity] = e.shown(e.space, entity)
	}

	database, err := db.Open(t.Context(), db.Options{URL: e.address})
	check(t, err)
	t.Cleanup(func() { check(t, database.Close()) })
	check(t, database.DeleteUser(t.Context(), e.ID, func() error { return nil }))
	for _, archive := range []string{e.zip, byOperator} {
		again := *e
		again.client = e.server.newUser(t, filepath.Base(archive)+"@example.com", "--pro")
		out, errs, code := command(t, e.server.dir, again.env(), "import", archive, "--json")
		var result struct{ Result imported }
		if lines := strings.Split(strings.TrimSpace(out), "\n"); code != 0 || json.Unmarshal([]byte(lines[len(lines)-1]), &result) != nil {
			t.Fatalf("import: got %q, %q, %d", out, errs, code)
		}
		if got := result.Result; got.Files != 2 || got.Spaces != 2 || len(got.Notes) != 0 {
			t.Errorf("result: got %+v, want 2 files, 2 spaces and no notes", got)
		}
		for old, want := range spaces {
			compareFiles(t, again.pulled(result.Result.SpaceIDs[old]), want)
		}
		for entity, want := range bytesOf {
			if got := again.shown(result.Result.SpaceIDs[e.space], entity); got != want {
				t.Errorf("bytes of %s: got %q, want %q", entity, got, want)
			}
		}
		again.checkSettings(result.Result.SpaceIDs)
	}
}

// compareFiles compares the files of a space before and after.
func compareFiles(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s: got %s, want %s", name, got[name], content)
		}
	}
	if len(got) != len(want) {
		t.Errorf("files: got %d, want %d", len(got), len(want))
	}
}

// checkSettings checks what is not in the files of a space.
func (e *exported) checkSettings(ids map[string]string) {
	e.t.Helper()
	var space struct {
		Title, Privacy, Home, Custom string
	}
	e.Call("GET", "/v1/spaces/"+ids[e.space], nil).Want(200, &space)
	if space.Title != "Hub" || space.Home != ids[e.other] {
		e.t.Errorf("hub: got %+v, want its title and the new id of the other space", space)
	}
	e.Call("GET", "/v1/spaces/"+ids[e.other], nil).Want(200, &space)
	if space.Custom != "kept" || space.Privacy != "Link Only" {
		e.t.Errorf("other space: got %+v, want its field and its privacy", space)
	}
	var door struct {
		Data struct{ Link string } `json:"entity_data"`
	}
	e.Call("GET", "/v1/spaces/"+ids[e.space]+"/entities/door", nil).Want(200, &door)
	if want := "custom.travel.center." + ids[e.other]; door.Data.Link != want {
		e.t.Errorf("door: got the link %q, want %q", door.Data.Link, want)
	}
	var me struct{ Name string }
	check(e.t, e.GraphQL(`{ viewer { name } }`, nil, &me))
	if me.Name != "Ada" {
		e.t.Errorf("name: got %q, want Ada", me.Name)
	}
}

// changedZip returns the archive with one of its files changed, added or, for nil, removed.
func changedZip(t *testing.T, archive, name string, content []byte) string {
	t.Helper()
	reader, err := zip.OpenReader(archive)
	check(t, err)
	defer reader.Close()
	var b bytes.Buffer
	writer := zip.NewWriter(&b)
	for _, entry := range reader.File {
		if entry.Name != name {
			check(t, writer.Copy(entry))
		}
	}
	if content != nil {
		entry, err := writer.Create(name)
		check(t, err)
		_, err = entry.Write(content)
		check(t, err)
	}
	check(t, writer.Close())
	changed := filepath.Join(t.TempDir(), "changed.zip")
	check(t, os.WriteFile(changed, b.Bytes(), 0o600))
	return changed
}

// testImportRefusals checks that a hostile or damaged archive does nothing, and neither does one
// that the account has no room for.
func testImportRefusals(t *testing.T, e *exported) {
	t.Helper()
	escaping := changedZip(t, e.zip, "../evil", []byte("evil"))
	archives := map[string]string{
		"another file":        changedZip(t, e.zip, "files/extra.txt", []byte("extra")),
		"a changed file":      changedZip(t, e.zip, "account.json", []byte("{}")),
		"a removed file":      changedZip(t, e.zip, "spaces.json", nil),
		"no manifest":         changedZip(t, e.zip, "manifest.json", nil),
		"a newer version":     changedZip(t, e.zip, "manifest.json", []byte(`{"format":"portico-export","version":2}`)),
		"another format":      changedZip(t, e.zip, "manifest.json", []byte(`{"format":"other","version":1}`)),
		"a path that escapes": escaping,
	}
	for _, hostile := range splattest.HostileZips() {
		name := filepath.Join(t.TempDir(), "hostile.zip")
		check(t, os.WriteFile(name, hostile.Zip, 0o600))
		archives[hostile.Name] = name
	}
	for name, archive := range archives {
		if _, err := openExport(t.Context(), archive); err == nil {
			t.Errorf("%s: got no error, want it refused", name)
		}
	}
	poor := *e
	poor.client = e.server.newUser(t, "poor@example.com", "--quota", "2KB")
	for archive, want := range map[string]string{escaping: "leads outside the archive", e.zip: "has no room for"} {
		if _, errs, code := command(t, e.server.dir, poor.env(), "import", archive); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("import: got %q, %d, want %q", errs, code, want)
		}
	}
	poor.AwaitUsed(0)
}
