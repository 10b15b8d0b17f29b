package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	out, errs, code := command(f.t, f.data, f.env, append([]string{name, f.dir}, args...)...)
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
	out, errs, code := command(f.t, f.data, f.env, append([]string{"pull", space, f.dir}, args...)...)
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

// contains fails unless the text has all parts.
func contains(t *testing.T, what, text string, parts ...string) {
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

// A space lives in a folder: it is pulled, edited, compared and pushed, by two people.
func TestWorkspace_is_pulled_edited_and_pushed(t *testing.T) {
	t.Parallel()
	data := dataDir(t)
	server := serve(t, data)
	c := server.newUser(t, "keeper@example.com")
	var space struct{ SpaceID string }
	c.Call("POST", "/v1/spaces", map[string]string{"title": "Mill", "space_type": "hub"}).Want(201, &space)
	entities := "/v1/spaces/" + space.SpaceID + "/entities"
	c.Call("POST", entities, map[string]any{"entity_id": "chair", "entity_data": json.RawMessage(`{"n":12345678901234567890}`)}).Want(201, nil)
	env := []string{"PORTICO_URL=" + server.URL, "PORTICO_KEY=" + c.Key}
	f := spaceFolder{t, filepath.Join(t.TempDir(), "new"), data, env}

	out, code := f.pull(space.SpaceID)
	if code != 0 {
		t.Fatalf("portico pull: got exit code %d and %s", code, out)
	}
	contains(t, "pull", out, "put    "+chairFile, "put    space/room.json")
	contains(t, "chair", f.read(chairFile), "12345678901234567890")
	state := f.read(stateFile)
	if strings.Contains(state, c.Key) {
		t.Errorf("%s: got the key in it, want a file for git", stateFile)
	}
	out, _ = f.pull(space.SpaceID)
	contains(t, "a second pull", out, "Already up to date")
	if got := f.read(stateFile); got != state {
		t.Errorf("%s after a second pull: got %s, want it unchanged", stateFile, got)
	}

	f.write(chairFile, strings.ReplaceAll(`{"type":"Simple","data":{"label":"Chair","n":1}}`, ",", ",\r\n"))
	f.write("space/entities/table.json", `{"type":"Thing","data":{}}`)
	f.write(clockFile, "export default 1\r\n")
	f.write("space/assets/.DS_Store", "of the system")
	f.write("notes.txt", "mine")
	check(t, os.Remove(filepath.Join(f.dir, firstGate(t, f.dir))))
	contains(t, "status", f.must("status"), "put    "+chairFile, "put    "+clockFile, "delete space/entities/", "Changed on the server:\n  nothing")
	for _, name := range []string{"status", "diff", "push"} { // without a folder, the current one
		inFolder := installation(data, env...).Command(nil, name)
		if inFolder.Dir = f.dir; name == "push" {
			inFolder.Args = append(inFolder.Args, "--dry-run")
		}
		output, err := inFolder.CombinedOutput()
		check(t, err)
		contains(t, name+" in the folder", string(output), "chair")
	}
	contains(t, "diff", f.must("diff"), "--- server/"+chairFile, "-    \"n\": 12345678901234567890", `+"n":1}}`, "+export default 1")
	contains(t, "dry run", f.must("push", "--dry-run"), "update_entity chair", "create_entity table", "put_plugin clock.mjs", "4 changes would be made")
	if got := c.Call("GET", entities+"/table", nil).Status; got != 404 {
		t.Errorf("table after a dry run: got %d, want 404", got)
	}
	contains(t, "push", f.must("push"), "4 changes were made")
	contains(t, "status after a push", f.must("status"), "Changed here:\n  nothing\nChanged on the server:\n  nothing")
	contains(t, "chair as the server writes it", f.read(chairFile), "\"id\": \"chair\",\n  \"type\": \"Simple\"")
	contains(t, "push of nothing", f.must("push", "--json"), `{"result":{"noChanges":true,"applied":[]}}`)

	// A large asset is uploaded before; of one that is refused nothing is left.
	hall := strings.Repeat("hall", maxInlineBytes/4+1)
	f.write("space/assets/hall.bin", hall)
	contains(t, "dry run of a large asset", f.must("push", "--dry-run"), "put_asset hall.bin", "1 change would be made")
	f.write(chairFile, `{"type":"Simple"}`)
	f.run("push")
	if got := c.Call("GET", "/v1/files", nil); strings.Contains(string(got.Body), "hall.bin") {
		t.Errorf("files after a refused push: got %s, want no hall.bin", got.Body)
	}
	check(t, os.Remove(filepath.Join(f.dir, chairFile)))
	_, _ = f.pull(space.SpaceID)
	contains(t, "push of a large asset", f.must("push"), "put_asset hall.bin")

	// A second folder gets the plugin's bytes, and its changes reach the first.
	other := spaceFolder{t, t.TempDir(), data, env}
	_, _ = other.pull(space.SpaceID)
	if got := other.read("space/assets/hall.bin"); got != hall {
		t.Errorf("large asset in another folder: got %d bytes, want the same %d", len(got), len(hall))
	}
	if got, want := other.read(clockFile), "export default 1\n"; got != want {
		t.Errorf("plugin in another folder: got %q, want %q", got, want)
	}
	other.write(chairFile, `{"type":"Simple","data":{"label":"Stool"}}`)
	other.must("push")

	f.write(chairFile, `{"type":"Simple","data":{"label":"Bench"}}`)
	out, code = f.run("push", "--json")
	if code != 1 {
		t.Errorf("push of a conflict: got exit code %d, want 1", code)
	}
	contains(t, "push of a conflict", out, `"conflicts":["`+chairFile+`"]`, `"status":409`)
	contains(t, "status of a conflict", f.must("status"), "Changed on both sides: "+chairFile)
	out, code = f.pull(space.SpaceID)
	if code == 0 || !strings.Contains(f.read(chairFile), "Bench") {
		t.Errorf("pull of a conflict: got exit code %d and %s, want a refusal that keeps the file", code, out)
	}
	out, code = f.pull(space.SpaceID, "--force")
	if code != 0 || !strings.Contains(f.read(chairFile), "Stool") {
		t.Errorf("pull --force: got exit code %d, %s and %s, want the file of the server", code, out, f.read(chairFile))
	}

	// What is wrong is named, and what is locked stays.
	f.write(chairFile, `{"type":"Simple"}`)
	out, _ = f.run("push", "--json")
	contains(t, "push of a wrong file", out, `"validationErrors":[{"file":"`+chairFile+`"`, `"status":422`)
	f.write(chairFile, `{"type":"Simple","data":{"label":"Sofa"}}`)
	var held struct {
		Token string `json:"lock_token"`
	}
	c.Call("POST", "/v1/spaces/"+space.SpaceID+"/lock", map[string]string{"name": "Blender"}).Want(200, &held)
	out, _ = f.run("push")
	contains(t, "push to a locked space", out, `"Blender" has locked the space`)
	contains(t, "push by the holder", f.must("push", "--lock", held.Token), "update_entity chair")

	// A server that was killed has all of it.
	check(t, server.Cmd.Process.Kill())
	server.Wait()
	moved := serve(t, data)
	f.env[0] = "PORTICO_URL=" + moved.URL
	out, code = f.run("status")
	if code == 0 || !strings.Contains(out, "add --server "+server.URL) {
		t.Errorf("status at another address: got exit code %d and %s, want a refusal", code, out)
	}
	f.write(stateFile, strings.ReplaceAll(f.read(stateFile), server.URL, moved.URL))
	contains(t, "status after a kill", f.must("status"), "Changed here:\n  nothing\nChanged on the server:\n  nothing")
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

// hostileServer answers a pull with an archive of these files.
func hostileServer(t *testing.T, files map[string]string) string {
	t.Helper()
	var archive bytes.Buffer
	out := zip.NewWriter(&archive)
	for name, content := range files {
		file, err := out.Create(name)
		check(t, err)
		_, err = file.Write([]byte(content))
		check(t, err)
	}
	check(t, out.Close())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive.Bytes()) }))
	t.Cleanup(server.Close)
	return server.URL
}

const strangeSpace = "10000000_abc"

func manifestOf(path string) string {
	return `{"spaceId":"` + strangeSpace + `","entities":[{"id":"x","type":"T","file":"` + path + `","sha":"00"}]}`
}

// No server and no foreign folder makes a command touch a file outside its folder.
func TestWorkspace_stays_in_its_folder(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"up": "../evil.json", "up from within": "space/../../evil.json", "absolute": "/evil.json", "up in an id": "space/entities/../../evil.json",
		"backslashes": `space/entities/..\\evil.json`, "another file of the folder": ".git/config", "its own state": stateFile,
	} {
		t.Run("a server names a path: "+name, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			url := hostileServer(t, map[string]string{manifestName: manifestOf(path), strings.ReplaceAll(path, `\\`, `\`): "evil"})
			f := spaceFolder{t, filepath.Join(parent, "folder"), parent, []string{"PORTICO_URL=" + url, "PORTICO_KEY=k"}}
			out, code := f.pull(strangeSpace)
			found, err := filepath.Glob(filepath.Join(parent, "*", "*"))
			check(t, err)
			if evil, _ := filepath.Glob(filepath.Join(parent, "evil*")); code == 0 || len(found)+len(evil) > 0 {
				t.Errorf("got exit code %d, %s and the files %v, want a refusal and no file", code, out, append(found, evil...))
			}
		})
	}
	good := hostileServer(t, map[string]string{manifestName: manifestOf(chairFile), chairFile: "{}"})
	for name, link := range map[string]string{"a file is a link": chairFile, "a folder is a link": "space", "the state is a link": stateFile} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			f := spaceFolder{t, filepath.Join(parent, "folder"), parent, []string{"PORTICO_URL=" + good, "PORTICO_KEY=k"}}
			f.write("target/secret", "as it was")
			path := filepath.Join(f.dir, link)
			check(t, os.MkdirAll(filepath.Dir(path), 0o755))
			// The link leads to another file of the folder, where os.Root would follow it.
			target := strings.Repeat("../", strings.Count(link, "/")) + "target"
			if link != "space" {
				target += "/secret"
			}
			check(t, os.Symlink(target, path))
			out, code := f.pull(strangeSpace)
			files, err := os.ReadDir(filepath.Join(f.dir, "target"))
			check(t, err)
			if code == 0 || f.read("target/secret") != "as it was" || len(files) != 1 || !strings.Contains(out, "is a link") {
				t.Errorf("got exit code %d, %s and %v, want a refusal", code, out, files)
			}
		})
	}
	t.Run("the state names another server", func(t *testing.T) {
		t.Parallel()
		f := spaceFolder{t, t.TempDir(), t.TempDir(), []string{"PORTICO_URL=http://127.0.0.1:1", "PORTICO_KEY=k"}}
		f.write(stateFile, `{"server":"`+good+`","space":"`+strangeSpace+`","files":{}}`)
		if out, code := f.run("status"); code == 0 || !strings.Contains(out, "add --server") {
			t.Errorf("got exit code %d and %s, want a refusal to send the key there", code, out)
		}
	})
}

func TestLineDiff(t *testing.T) {
	t.Parallel()
	lines := func(from, to int, changed string) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			b.WriteString(strings.Repeat("x", i) + "\n")
		}
		return b.String() + changed
	}
	for _, test := range []struct{ name, before, after, want string }{
		{"nothing", "a\n", "a\n", ""},
		{"a new text", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"a removed text", "a\n", "", "@@ -1,1 +0,0 @@\n-a\n"},
		{"a line", "a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"far apart", lines(1, 12, ""), "0\n" + lines(1, 12, "end\n"), "@@ -1,3 +1,4 @@\n+0\n" +
			" x\n xx\n xxx\n@@ -10,3 +11,4 @@\n xxxxxxxxxx\n xxxxxxxxxxx\n xxxxxxxxxxxx\n+end\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := lineDiff(test.before, test.after); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}
