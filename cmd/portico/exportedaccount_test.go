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

	"portico/cmd/portico/workspace"
	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// exported is an account with something of everything, and the server that it is on.
type exported struct {
	*user
	t       *testing.T
	server  *process
	address string // of the database
	space   string // a hub, which leads to the other space
	other   string
	zip     string // the path of the export
}

// literalTokens is data with texts that look like tokens of files, as the server returns it. The
// last text names a file.
const literalTokens = `{"n": 12345678901234567890, "image": "assets/none.png", "texts": ["plugins/none.mjs", "assets/note.bin"]}`

// accountToExport makes the account.
func accountToExport(t *testing.T) *exported {
	t.Helper()
	address := postgres.URL(t, migrate)
	server := serve(t, dataDir(t), "PORTICO_DATABASE_URL="+address)
	e := &exported{user: server.newUser(t, "ada@example.com", "--name", "Ada", "--pro"), t: t, server: server, address: address}
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
	e.Call("POST", entities, map[string]any{"entity_id": "sign", "entity_type": "Simple", "entity_data": json.RawMessage(literalTokens)}).Want(201, nil)
	person := e.Put("person.spz", api.Text("the bytes of a capture"))
	figure := confirmed.ResourceKey
	e.Call("POST", "/v1/files/upload-complete", api.Completion(person)).Want(200, &confirmed)
	e.Call("POST", "/v1/avatars/splat", map[string]any{
		"glb": figure, "splat": confirmed.ResourceKey, "binding": confirmed.ResourceKey, "fit": confirmed.ResourceKey,
		"originalName": "Ada in blue", "assign": true,
	}).Want(200, nil)
	e.editWorkspace(hub.SpaceID)
	return e
}

// zipOf returns a zip of the files.
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

// editWorkspace adds a plugin and an asset, an entity that runs the plugin, and removes a gate.
func (e *exported) editWorkspace(space string) {
	e.t.Helper()
	f := spaceFolder{e.t, filepath.Join(e.t.TempDir(), "hub"), e.server.dir, e.env()}
	if out, code := f.pull(space); code != 0 {
		e.t.Fatalf("pull: %s", out)
	}
	f.write(clockFile, "export default 1\n")
	f.write("space/plugins/cup/index.mjs", "export { tea } from './lib/tea.mjs';\n")
	f.write("space/plugins/cup/lib/tea.mjs", "export const tea = 1;\n")
	f.write("space/entities/cup.json", `{"type":"UserModelEntity","data":{"glbUrl":"plugins/cup/"}}`)
	f.write("space/assets/note.bin", strings.Repeat("note", 1000))
	f.write("space/assets/hall.bin", strings.Repeat("hall", workspace.MaxInlineBytes/4+1)) // too large for a change set
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
	response, err := http.Get(address)
	check(t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	check(t, err)
	return response.StatusCode, content
}

// given matches the ids that an account, a file or a space gets when it is made.
var given = regexp.MustCompile(`[0-9]{8}(/|_[a-z0-9]{26})|api_uploads/[a-z0-9]{26}|(entity|file|plugin|asset) [0-9a-f]{64}`)

// pulledFiles returns the files of a space as text, without the ids that an import assigns.
func (e *exported) pulledFiles(space string) map[string]string {
	e.t.Helper()
	response := e.Call("POST", "/v1/spaces/"+space+"/pull", nil)
	archive, err := zip.NewReader(bytes.NewReader(response.Body), int64(len(response.Body)))
	check(e.t, err)
	files := map[string]string{}
	for _, entry := range archive.File {
		if entry.Name == model.ManifestFile {
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

// shownContent returns the bytes of the file that an entity shows.
func (e *exported) shownContent(space, entity string) string {
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
