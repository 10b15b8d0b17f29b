package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/cmd/portico/workspace"
)

// spaceFolder is a folder with a space, and the server that it is of.
type spaceFolder struct {
	t    *testing.T
	dir  string // of the folder
	data string // of the server
	env  []string
}

// run runs a command in the folder and returns its output and exit code.
func (f spaceFolder) run(name string, args ...string) (out string, code int) {
	f.t.Helper()
	out, errs, code := runCommand(f.t, f.data, f.env, append([]string{name, f.dir}, args...)...)
	return out + errs, code
}

// must runs a command that succeeds and returns its output.
func (f spaceFolder) must(name string, args ...string) string {
	f.t.Helper()
	out, code := f.run(name, args...)
	if code != 0 {
		f.t.Fatalf("portico %s: got exit code %d and %s", name, code, out)
	}
	return out
}

// pull runs "portico pull", whose first argument is the space.
func (f spaceFolder) pull(space string, args ...string) (out string, code int) {
	f.t.Helper()
	out, errs, code := runCommand(f.t, f.data, f.env, append([]string{"pull", space, f.dir}, args...)...)
	return out + errs, code
}

func (f spaceFolder) write(name, content string) {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	check(f.t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(f.t, os.WriteFile(path, []byte(content), 0o600))
}

func (f spaceFolder) read(name string) string {
	f.t.Helper()
	content, err := os.ReadFile(filepath.Join(f.dir, name))
	check(f.t, err)
	return string(content)
}

// wantContains fails unless the text has all parts.
func wantContains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: got %s, want %q in it", what, text, part)
		}
	}
}

const (
	chairFile = "space/entities/chair.json"
	clockFile = "space/plugins/clock.mjs"
)

// A space lives in a folder: it is pulled, edited, compared and pushed, by two people. Each step
// continues with the folder of the step before.
func TestWorkspace_is_pulled_edited_and_pushed(t *testing.T) {
	t.Parallel()
	f := newSpaceOfOwner(t)
	f.pullTwice()
	f.editAndCompare()
	f.pushEdits()
	hall := f.pushLargeAsset()
	f.changeInAnotherFolder(hall)
	f.resolveConflict()
	f.pushWhatIsRefused()
	f.restartServerElsewhere()
}

// spaceOfOwner is a folder whose space the test also changes as its owner.
type spaceOfOwner struct {
	spaceFolder
	server  *process
	owner   *user
	spaceID string
}

// newSpaceOfOwner creates a space with a chair, and its folder, which is not pulled yet.
func newSpaceOfOwner(t *testing.T) *spaceOfOwner {
	t.Helper()
	data := dataDir(t)
	server := serve(t, data)
	c := server.newUser(t, "keeper@example.com")
	var space struct{ SpaceID string }
	c.Call("POST", "/v1/spaces", map[string]string{"title": "Mill", "space_type": "hub"}).Want(201, &space)
	entities := "/v1/spaces/" + space.SpaceID + "/entities"
	c.Call("POST", entities, map[string]any{"entity_id": "chair", "entity_data": json.RawMessage(`{"n":12345678901234567890}`)}).Want(201, nil)
	env := []string{"PORTICO_URL=" + server.URL, "PORTICO_KEY=" + c.Key}
	return &spaceOfOwner{spaceFolder{t, filepath.Join(t.TempDir(), "new"), data, env}, server, c, space.SpaceID}
}

// pullTwice pulls the space. A second pull finds nothing new.
func (f *spaceOfOwner) pullTwice() {
	out, code := f.pull(f.spaceID)
	if code != 0 {
		f.t.Fatalf("portico pull: got exit code %d and %s", code, out)
	}
	wantContains(f.t, "pull", out, "put    "+chairFile, "put    space/room.json")
	wantContains(f.t, "chair", f.read(chairFile), "12345678901234567890")
	state := f.read(workspace.StateFile)
	if strings.Contains(state, f.owner.Key) {
		f.t.Errorf("%s: got the key in it, want a file for git", workspace.StateFile)
	}
	out, _ = f.pull(f.spaceID)
	wantContains(f.t, "a second pull", out, "Already up to date")
	if got := f.read(workspace.StateFile); got != state {
		f.t.Errorf("%s after a second pull: got %s, want it unchanged", workspace.StateFile, got)
	}
}

// editAndCompare edits files, and sees the edits in the status and the diff.
func (f *spaceOfOwner) editAndCompare() {
	f.write(chairFile, strings.ReplaceAll(`{"type":"Simple","data":{"label":"Chair","n":1}}`, ",", ",\r\n"))
	f.write("space/entities/table.json", `{"type":"Thing","data":{}}`)
	f.write(clockFile, "export default 1\r\n")
	f.write("space/assets/.DS_Store", "of the system")
	f.write("notes.txt", "mine")
	check(f.t, os.Remove(filepath.Join(f.dir, firstGate(f.t, f.dir))))
	wantContains(f.t, "status", f.must("status"), "put    "+chairFile, "put    "+clockFile, "delete space/entities/", "Changed on the server:\n  nothing")
	for _, name := range []string{"status", "diff", "push"} { // without a folder, the current one
		inFolder := installation(f.data, f.env...).Command(nil, name)
		if inFolder.Dir = f.dir; name == "push" {
			inFolder.Args = append(inFolder.Args, "--dry-run")
		}
		output, err := inFolder.CombinedOutput()
		check(f.t, err)
		wantContains(f.t, name+" in the folder", string(output), "chair")
	}
	wantContains(f.t, "diff", f.must("diff"), "--- server/"+chairFile, "-    \"n\": 12345678901234567890", `+"n":1}}`, "+export default 1")
}

// pushEdits pushes the edits: first as a dry run, which changes nothing.
func (f *spaceOfOwner) pushEdits() {
	wantContains(f.t, "dry run", f.must("push", "--dry-run"), "update_entity chair", "create_entity table", "put_plugin clock.mjs", "4 changes would be made")
	if got := f.owner.Call("GET", "/v1/spaces/"+f.spaceID+"/entities/table", nil).Status; got != 404 {
		f.t.Errorf("table after a dry run: got %d, want 404", got)
	}
	wantContains(f.t, "push", f.must("push"), "4 changes were made")
	wantContains(f.t, "status after a push", f.must("status"), "Changed here:\n  nothing\nChanged on the server:\n  nothing")
	wantContains(f.t, "chair as the server writes it", f.read(chairFile), "\"id\": \"chair\",\n  \"type\": \"Simple\"")
	wantContains(f.t, "push of nothing", f.must("push", "--json"), `{"result":{"noChanges":true,"applied":[]}}`)
}

// pushLargeAsset pushes an asset that is uploaded before the change set, and returns its content.
// Of a refused push nothing is left.
func (f *spaceOfOwner) pushLargeAsset() (hall string) {
	hall = strings.Repeat("hall", workspace.MaxInlineBytes/4+1)
	f.write("space/assets/hall.bin", hall)
	wantContains(f.t, "dry run of a large asset", f.must("push", "--dry-run"), "put_asset hall.bin", "1 change would be made")
	f.write(chairFile, `{"type":"Simple"}`)
	f.run("push")
	if got := f.owner.Call("GET", "/v1/files", nil); strings.Contains(string(got.Body), "hall.bin") {
		f.t.Errorf("files after a refused push: got %s, want no hall.bin", got.Body)
	}
	check(f.t, os.Remove(filepath.Join(f.dir, chairFile)))
	_, _ = f.pull(f.spaceID)
	wantContains(f.t, "push of a large asset", f.must("push"), "put_asset hall.bin")
	return hall
}

// changeInAnotherFolder pulls the space into a second folder, which gets all bytes, and pushes a
// change from there.
func (f *spaceOfOwner) changeInAnotherFolder(hall string) {
	other := spaceFolder{f.t, f.t.TempDir(), f.data, f.env}
	_, _ = other.pull(f.spaceID)
	if got := other.read("space/assets/hall.bin"); got != hall {
		f.t.Errorf("large asset in another folder: got %d bytes, want the same %d", len(got), len(hall))
	}
	if got, want := other.read(clockFile), "export default 1\n"; got != want {
		f.t.Errorf("plugin in another folder: got %q, want %q", got, want)
	}
	other.write(chairFile, `{"type":"Simple","data":{"label":"Stool"}}`)
	other.must("push")
}

// resolveConflict edits the file that the other folder has changed: a push and a pull are refused.
func (f *spaceOfOwner) resolveConflict() {
	f.write(chairFile, `{"type":"Simple","data":{"label":"Bench"}}`)
	out, code := f.run("push", "--json")
	if code != 1 {
		f.t.Errorf("push of a conflict: got exit code %d, want 1", code)
	}
	wantContains(f.t, "push of a conflict", out, `"conflicts":["`+chairFile+`"]`, `"status":409`)
	wantContains(f.t, "status of a conflict", f.must("status"), "Changed on both sides: "+chairFile)
	out, code = f.pull(f.spaceID)
	if code == 0 || !strings.Contains(f.read(chairFile), "Bench") {
		f.t.Errorf("pull of a conflict: got exit code %d and %s, want a refusal that keeps the file", code, out)
	}
	out, code = f.pull(f.spaceID, "--force")
	if code != 0 || !strings.Contains(f.read(chairFile), "Stool") {
		f.t.Errorf("pull --force: got exit code %d, %s and %s, want the file of the server", code, out, f.read(chairFile))
	}
}

// pushWhatIsRefused pushes a wrong file, and then to a space that another editor has locked.
func (f *spaceOfOwner) pushWhatIsRefused() {
	f.write(chairFile, `{"type":"Simple"}`)
	out, _ := f.run("push", "--json")
	wantContains(f.t, "push of a wrong file", out, `"validationErrors":[{"file":"`+chairFile+`"`, `"status":422`)
	f.write(chairFile, `{"type":"Simple","data":{"label":"Sofa"}}`)
	var held struct {
		Token string `json:"lock_token"`
	}
	f.owner.Call("POST", "/v1/spaces/"+f.spaceID+"/lock", map[string]string{"name": "Blender"}).Want(200, &held)
	out, _ = f.run("push")
	wantContains(f.t, "push to a locked space", out, `"Blender" has locked the space`)
	wantContains(f.t, "push by the holder", f.must("push", "--lock", held.Token), "update_entity chair")
}

// restartServerElsewhere kills the server and starts it at another address. The folder has the old
// address, and the server has kept the space.
func (f *spaceOfOwner) restartServerElsewhere() {
	check(f.t, f.server.Cmd.Process.Kill())
	f.server.Wait()
	moved := serve(f.t, f.data)
	f.env[0] = "PORTICO_URL=" + moved.URL
	out, code := f.run("status")
	if code == 0 || !strings.Contains(out, "add --server "+f.server.URL+", or, if the server has moved, write its address into "+workspace.StateFile) {
		f.t.Errorf("status at another address: got exit code %d and %s, want a refusal", code, out)
	}
	f.write(workspace.StateFile, strings.ReplaceAll(f.read(workspace.StateFile), f.server.URL, moved.URL))
	wantContains(f.t, "status after a kill", f.must("status"), "Changed here:\n  nothing\nChanged on the server:\n  nothing")
}

// firstGate returns the path of a static gate's file.
func firstGate(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "space/entities/*.json"))
	check(t, err)
	for _, path := range files {
		if filepath.Base(path) != "chair.json" && filepath.Base(path) != "table.json" {
			name, err := filepath.Rel(dir, path)
			check(t, err)
			return name
		}
	}
	t.Fatal("got no gate, want one")
	return ""
}
