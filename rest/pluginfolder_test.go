package rest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"portico/model"
)

// The files of a plugin folder, and an entity that shows it.
const (
	clockIndex = "import { tick } from \"./lib/util.mjs\";\nexport default tick;\n"
	clockUtil  = "export const tick = 1;\n"
	clockShown = "{\n  \"id\": \"clock\",\n  \"type\": \"UserModelEntity\",\n  \"data\": {\n    \"glbUrl\": \"plugins/clock/index.mjs\"\n  }\n}\n"
)

func clockFiles() map[string]string {
	return map[string]string{
		"space/plugins/clock/index.mjs": clockIndex, "space/plugins/clock/lib/util.mjs": clockUtil,
		"space/plugins/clock/face.png": "PNG", "space/plugins/clock/empty.js": "",
	}
}

// deletes returns a change set that deletes these paths.
func deletes(t *testing.T, paths ...string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"deletes": paths})
	check(t, err)
	return string(body)
}

// folderSum is what sha256sum prints for the files, hashed again.
func folderSum(files map[string]string, folder string) string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if inner, ok := strings.CutPrefix(name, folder+"/"); ok {
			fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256([]byte(files[name])), inner)
		}
	}
	sum := sha256.Sum256([]byte(lines.String()))
	return hex.EncodeToString(sum[:])
}

const clockPut = `{'status':'ok','applied':[{'op':'put_plugin','target':'clock'}],'failed':[],'data':{'applied':[{'op':'put_plugin','target':'clock'}],'failed':[]}}`

// pluginRows are the plugins in the manifest of a pull.
func (w *world) pluginRows(who account, id string) (rows []struct {
	File, SHA, URL string
	IsDir          bool
}) {
	w.t.Helper()
	var manifest struct {
		Plugins []struct {
			File, SHA, URL string
			IsDir          bool
		}
	}
	check(w.t, json.Unmarshal([]byte(w.pulled(who, id)[model.ManifestFile]), &manifest))
	return manifest.Plugins
}

func TestChangeSet_puts_a_plugin_folder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{}`)
	files := clockFiles()
	files["space/entities/clock.json"] = clockShown
	w.change(w.alice, id, "?dryRun=1", putFiles(t, files)).status2xx()
	w.change(w.alice, id, "", putFiles(t, files)).status2xx()
	rows := w.pluginRows(w.alice, id)
	if len(rows) != 1 || rows[0].File != "space/plugins/clock" || !rows[0].IsDir || rows[0].SHA != folderSum(files, "space/plugins/clock") ||
		!strings.HasSuffix(rows[0].URL, "_clock/index.mjs") {
		t.Fatalf("manifest: got %+v, want one row for the folder", rows)
	}
	pulled := w.pulled(w.alice, id)
	for name, want := range files {
		if got := pulled[name]; got != want {
			t.Errorf("pulled %s: got %q, want %q", name, got, want)
		}
	}
	entity := w.call(w.alice, "GET", "/v1/spaces/"+id+"/entities/clock", "").body
	if !strings.Contains(entity, `"glbUrl":"`+rows[0].URL+`"`) && !strings.Contains(entity, `"glbUrl": "`+rows[0].URL+`"`) {
		t.Errorf("entity: got %s, want the address %s", entity, rows[0].URL)
	}
	// What was pulled is no change, at both doors.
	maps.DeleteFunc(pulled, func(name, _ string) bool { return strings.HasSuffix(name, ".md") })
	const none = `{'status':'ok','noChanges':true,'applied':[],'failed':[],'data':{'noChanges':true,'applied':[],'failed':[]}}`
	w.change(w.alice, id, "", putFiles(t, pulled)).want(200, none)
	got := w.call(w.alice, "POST", "/v1/spaces/"+id+"/apply", archived(t, pulled))
	if got.status != 200 || !strings.Contains(got.body, `"noChanges":true`) || !strings.Contains(got.body, `"isDir":true`) {
		t.Errorf("apply of the pull: got %d %s, want no changes and the manifest", got.status, got.body)
	}
	// One upload of the account, with all of its bytes.
	listed := w.call(w.alice, "GET", "/v1/files", "").body
	size := len(clockIndex) + len(clockUtil) + len("PNG")
	if strings.Count(listed, `"resource_key"`) != 1 || !strings.Contains(listed, fmt.Sprintf(`"file_size":%d`, size)) {
		t.Errorf("files: got %s, want one of %d bytes", listed, size)
	}
	// The other form of the token, and an entity that names what is not there.
	shown := strings.Replace(clockShown, "clock/index.mjs", "clock/", 1)
	w.change(w.alice, id, "", put("space/entities/clock.json", shown)).want(200, none)
	for token, want := range map[string]string{
		"plugins/cup/index.mjs":      "The space has no file space/plugins/cup/index.mjs",
		"plugins/cup/":               "The space has no file space/plugins/cup/",
		"plugins/clock/lib/util.mjs": "An entity can name the file index.mjs of the folder space/plugins/clock, and not plugins/clock/lib/util.mjs",
	} {
		sent := strings.Replace(clockShown, "plugins/clock/index.mjs", token, 1)
		w.change(w.alice, id, "", putFiles(t, map[string]string{"space/entities/clock.json": sent})).refused422(t, want)
	}
}

func TestChangeSet_changes_files_of_a_plugin_folder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{}`)
	files := clockFiles()
	files["space/entities/clock.json"] = clockShown
	w.change(w.alice, id, "", putFiles(t, files)).status2xx()
	before := w.pluginRows(w.alice, id)[0]
	is := func(want map[string]string) {
		t.Helper()
		pulled := w.pulled(w.alice, id)
		maps.DeleteFunc(pulled, func(name, _ string) bool { return !strings.HasPrefix(name, "space/plugins/") })
		if !maps.Equal(pulled, want) {
			t.Errorf("plugins: got %q, want %q", pulled, want)
		}
	}
	delete(files, "space/entities/clock.json")

	// A dry run and a refused change set keep all as it is.
	changed := map[string]string{"space/plugins/clock/lib/util.mjs": "export const tick = 2;\r\n"}
	w.change(w.alice, id, "?dryRun=1", putFiles(t, changed)).status2xx()
	is(files)
	w.change(w.alice, id, "", putFiles(t, changed)).want(200, clockPut)
	files["space/plugins/clock/lib/util.mjs"] = "export const tick = 2;\n"
	is(files)
	after := w.pluginRows(w.alice, id)[0]
	if after.SHA != folderSum(files, "space/plugins/clock") || after.URL == before.URL {
		t.Errorf("manifest: got %+v after %+v, want the new hash and address", after, before)
	}
	if entity := w.call(w.alice, "GET", "/v1/spaces/"+id+"/entities/clock", "").body; !strings.Contains(entity, after.URL) {
		t.Errorf("entity: got %s, want the address %s", entity, after.URL)
	}

	// Another editor's hash of the folder is stale; its files have none of their own.
	sha := func(sum string) string {
		return `{'puts':[],'expected':[{'path':'space/plugins/clock','sha256':'` + sum + `'}]}`
	}
	w.change(w.alice, id, "", sha(after.SHA)).status2xx()
	w.change(w.alice, id, "", sha(before.SHA)).
		want(409, `{'status':'error','message':'The space has changed since it was read: space/plugins/clock','conflicts':['space/plugins/clock']}`)
	w.change(w.alice, id, "", `{'puts':[],'expected':[{'path':'space/plugins/clock/face.png'}]}`).refused422(t, "A plugin folder changes as a whole. Expect space/plugins/clock")

	// One file less, and then a new folder of the same name.
	w.change(w.alice, id, "", deletes(t, "space/plugins/clock/face.png", "space/plugins/clock/none.png")).want(200, clockPut)
	delete(files, "space/plugins/clock/face.png")
	is(files)
	w.change(w.alice, id, "", deletes(t, "space/plugins/clock/index.mjs")).refused422(t, "space/plugins/clock/index.mjs: The folder of a plugin must have the file index.mjs")
	is(files)
	w.change(w.alice, id, "", `{'puts':[{'path':'space/plugins/clock/index.mjs','content':'export default 7\n'}],'deletes':['space/plugins/clock']}`).want(200, clockPut)
	files = map[string]string{"space/plugins/clock/index.mjs": "export default 7\n"}
	is(files)

	// Names change their case, as after a rename on a system that ignores it.
	rename := func(from, to string) string {
		return `{'puts':[{'path':'space/plugins/` + to + `','content':'export default 7\n'}],'deletes':['space/plugins/` + from + `']}`
	}
	w.change(w.alice, id, "", rename("none/a.mjs", "clock/lib/Hand.mjs")).status2xx()
	w.change(w.alice, id, "", rename("clock/lib/Hand.mjs", "clock/Lib/hand.mjs")).want(200, clockPut)
	w.change(w.alice, id, "", rename("clock/Lib/hand.mjs", "none.mjs")).status2xx()
	w.change(w.alice, id, "", rename("none.mjs", "clock/index.mjs")).status2xx()
	w.change(w.alice, id, "", rename("clock/index.mjs", "Clock/index.mjs")).status2xx()
	is(map[string]string{"space/plugins/Clock/index.mjs": "export default 7\n"})
	w.change(w.alice, id, "", rename("Clock/index.mjs", "clock/index.mjs")).status2xx()
	is(files)

	// An archive replaces the folders that it has, and keeps the others.
	w.change(w.alice, id, "", putFiles(t, map[string]string{"space/plugins/cup/index.mjs": "export default 8\n", "space/plugins/cup/a.mjs": "1"})).status2xx()
	pulled := w.pulled(w.alice, id)
	maps.DeleteFunc(pulled, func(name, _ string) bool {
		return strings.HasPrefix(name, "space/plugins/clock/") || name == "space/plugins/cup/a.mjs"
	})
	w.call(w.alice, "POST", "/v1/spaces/"+id+"/apply", archived(t, pulled)).status2xx()
	files["space/plugins/cup/index.mjs"] = "export default 8\n"
	is(files)

	// A client that knows only files deletes each of them.
	gone := `{'status':'ok','applied':[{'op':'delete_plugin','target':'clock'}],'failed':[],'data':{'applied':[{'op':'delete_plugin','target':'clock'}],'failed':[]}}`
	w.change(w.alice, id, "", deletes(t, "space/plugins/clock/index.mjs")).want(200, gone)
	w.change(w.alice, id, "", deletes(t, "space/plugins/cup", "space/plugins/none")).want(200, strings.ReplaceAll(gone, "clock", "cup"))
	is(map[string]string{})
}

func TestChangeSet_refuses_plugin_folders_that_not_every_system_can_have(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{}`)
	w.change(w.alice, id, "", putFiles(t, clockFiles())).status2xx()
	before, used := w.pulled(w.alice, id), w.call(w.alice, "GET", "/v1/user/me", "").body
	const index = "space/plugins/cup/index.mjs"
	many := map[string]string{index: "1"}
	for i := range model.MaxPluginFiles {
		many[fmt.Sprintf("space/plugins/cup/%d.mjs", i)] = "1"
	}
	half := strings.Repeat("x", model.MaxPluginFolder/2)
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no index":             {map[string]string{"space/plugins/cup/a.mjs": "1"}, index + ": The folder of a plugin must have the file index.mjs"},
		"an index below":       {map[string]string{"space/plugins/cup/lib/index.mjs": "1"}, index + ": The folder of a plugin must have the file index.mjs"},
		"another case":         {map[string]string{"space/plugins/cup/Index.mjs": "1"}, index + ": The folder of a plugin must have the file index.mjs"},
		"an empty index":       {map[string]string{index: ""}, index + ": The file is empty"},
		"up":                   {map[string]string{"space/plugins/cup/../../x.mjs": "1"}, "The path must be relative, without empty, . and .. parts"},
		"absolute":             {map[string]string{"/space/plugins/cup/index.mjs": "1"}, "The path must be relative, without empty, . and .. parts"},
		"an empty part":        {map[string]string{"space/plugins/cup//a.mjs": "1"}, "The path must be relative, without empty, . and .. parts"},
		"a backslash":          {map[string]string{`space/plugins/cup/lib\a.mjs`: "1"}, "The path must not contain backslashes or colons"},
		"a drive":              {map[string]string{"space/plugins/cup/C:a.mjs": "1"}, "The path must not contain backslashes or colons"},
		"a control character":  {map[string]string{"space/plugins/cup/a\n.mjs": "1"}, "The path must be text without control characters"},
		"a hidden file":        {map[string]string{index: "1", "space/plugins/cup/.DS_Store": "1"}, "must not start with a dot: .DS_Store"},
		"a hidden folder":      {map[string]string{index: "1", "space/plugins/cup/.git/config": "1"}, "must not start with a dot: .git"},
		"a hidden plugin":      {map[string]string{"space/plugins/.cup/index.mjs": "1"}, "must not start with a dot: .cup"},
		"a dot at the end":     {map[string]string{index: "1", "space/plugins/cup/a.": "1"}, "must not end with a dot"},
		"a blank at the end":   {map[string]string{index: "1", "space/plugins/cup/a /b.mjs": "1"}, "no blanks around them"},
		"a wildcard":           {map[string]string{index: "1", "space/plugins/cup/a*.mjs": "1"}, "must not contain any of"},
		"a long name":          {map[string]string{index: "1", "space/plugins/cup/" + long(256): "1"}, "at most 255 bytes"},
		"two cases":            {map[string]string{index: "1", "space/plugins/cup/a.mjs": "1", "space/plugins/cup/A.mjs": "1"}, "a.mjs and A.mjs cannot both exist on every system"},
		"two cases of folders": {map[string]string{index: "1", "space/plugins/cup/lib/a.mjs": "1", "space/plugins/cup/Lib/b.mjs": "1"}, "lib/ and Lib/ cannot both exist on every system"},
		"a file and a folder":  {map[string]string{index: "1", "space/plugins/cup/lib": "1", "space/plugins/cup/lib/b.mjs": "1"}, "lib/ and lib cannot both exist on every system"},
		"two cases of plugins": {map[string]string{"space/plugins/Clock/index.mjs": "1"}, "space/plugins/Clock: The name differs only in case from space/plugins/clock"},
		"a file's name":        {map[string]string{"space/plugins/cup.mjs/index.mjs": "1"}, "A plugin is a .mjs file, or a folder whose name does not end in .mjs"},
		"a script":             {map[string]string{"space/plugins/cup.js": "1"}, "A plugin is a .mjs file, or a folder with the file index.mjs"},
		"too many":             {many, "space/plugins/cup: The folder has more than 500 files"},
		"too large":            {map[string]string{index: "1", "space/plugins/cup/a.bin": half, "space/plugins/cup/b.bin": half}, "space/plugins/cup: The folder has more than 26214400 bytes"},
	} {
		got := w.change(w.alice, id, "", putFiles(t, test.files))
		if got.status != 422 || !strings.Contains(got.body, test.want) {
			t.Errorf("%s: got %d %.300s, want 422 and %q", name, got.status, got.body, test.want)
		}
	}
	w.change(w.alice, id, "", `{'puts':[{'path':'`+index+`','resource_key':'api_uploads/x_index.mjs'}]}`).refused422(t, "Send the content of a plugin")
	if after := w.call(w.alice, "GET", "/v1/user/me", "").body; after != used {
		t.Errorf("account: got %s, want %s as before", after, used)
	}
	if after := w.pulled(w.alice, id); !maps.Equal(after, before) {
		t.Errorf("space: got %q, want it as before", slices.Sorted(maps.Keys(after)))
	}
}

// A folder is one thing: the deletion of its file deletes all of it.
func TestPluginFolder_is_deleted_as_a_whole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{}`)
	files := clockFiles()
	files["space/plugins/clock/face.png"] = long(4_800)
	w.change(w.alice, id, "", putFiles(t, files)).status2xx()
	address := w.pluginRows(w.alice, id)[0].URL
	_, key, _ := strings.Cut(address, "/api_uploads/")
	w.call(w.alice, "DELETE", "/v1/files?resource_key=api_uploads/"+key, "").status2xx()
	if rows := w.pluginRows(w.alice, id); len(rows) != 0 {
		t.Errorf("manifest: got %+v, want no plugin", rows)
	}
	var account struct {
		Data struct{ Storage struct{ Used int } }
	}
	check(t, json.Unmarshal([]byte(w.call(w.alice, "GET", "/v1/user/me", "").body), &account))
	if used := account.Data.Storage.Used; used >= 4_800 {
		t.Errorf("account: got %d bytes, want none of the folder's", used)
	}
	w.change(w.alice, id, "", putFiles(t, map[string]string{"space/plugins/clock/lib/util.mjs": "1"})).
		refused422(t, "space/plugins/clock/index.mjs: The folder of a plugin must have the file index.mjs")
}
