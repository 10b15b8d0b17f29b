package rest

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"portico/model"
)

// change sends a change set.
func (w *world) change(who account, id, query, body string) response {
	w.t.Helper()
	return w.call(who, "POST", "/v1/spaces/"+id+"/changeset"+query, quotes(body))
}

// put returns a change set that puts a file.
func put(path, content string) string {
	text, err := json.Marshal(map[string]any{"puts": []map[string]string{{"path": path, "content": content}}})
	if err != nil {
		panic(err) // cannot be: it is text
	}
	return string(text)
}

const applied = `{'status':'ok','applied':[%],'failed':[],'data':{'applied':[%],'failed':[]}}`

// room returns the file of the room of a Private space without a description.
func room(title string) string {
	return "{\n  \"id\": \"RoomInfo\",\n  \"type\": \"Simple\",\n  \"data\": {\n    \"roomDescription\": \"\",\n" +
		"    \"roomPrivacy\": \"Private\",\n    \"roomTitle\": \"" + title + "\"\n  }\n}\n"
}

func TestChangeSet_edits_a_pulled_space(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{'title':'Mill','space_type':'hub'}`)
	w.call(w.alice, "POST", "/v1/spaces/"+id+"/entities", `{"entity_id":"chair","entity_data":{"n":12345678901234567890,"position":[1,2,3]}}`).status2xx()
	files := w.pulled(w.alice, id)
	if got, want := len(files), 1+7+1+1+1; got != want { // room, gates, chair, README, manifest
		t.Errorf("files: got %d, want %d: %v", got, want, files)
	}
	chair := "{\n  \"id\": \"chair\",\n  \"type\": \"Simple\",\n  \"data\": {\n    \"n\": 12345678901234567890,\n    \"position\": [\n      1,\n      2,\n      3\n    ]\n  }\n}\n"
	if got := files["space/entities/chair.json"]; got != chair {
		t.Errorf("chair: got %s, want %s", got, chair)
	}
	if got, want := files["space/room.json"], room("Mill"); got != want {
		t.Errorf("room: got %q, want %q", got, want)
	}
	var manifest struct{ SpaceID string }
	check(t, json.Unmarshal([]byte(files[model.ManifestFile]), &manifest))
	if manifest.SpaceID != id {
		t.Errorf("manifest: got %q, want %q", manifest.SpaceID, id)
	}

	// Nothing that was pulled is a change.
	var puts []map[string]string
	for path, content := range files {
		puts = append(puts, map[string]string{"path": path, "content": content})
	}
	whole, err := json.Marshal(map[string]any{"puts": puts})
	check(t, err)
	w.change(w.alice, id, "", string(whole)).want(200,
		`{'status':'ok','noChanges':true,'applied':[],'failed':[],'data':{'noChanges':true,'applied':[],'failed':[]}}`)

	edits := `{'puts':[
		{'path':'space/room.json','content':'{\'roomTitle\':\'Old mill\'}'},
		{'path':'space/entities/chair.json','content':'{\'type\':\'Simple\',\'data\':{\'a\':1}}'},
		{'path':'space/entities/table.json','content':'{\'id\':\'table\',\'type\':\'Thing\',\'data\':{}}'},
		{'path':'notes.txt','content':'mine'}],
		'deletes':['space/entities/none.json','space/entities/` + model.StaticGateIDs[0] + `.json']}`
	done := `{'op':'update_entity','target':'chair'},{'op':'create_entity','target':'table'},` +
		`{'op':'delete_entity','target':'` + model.StaticGateIDs[0] + `'},{'op':'update_room','target':'RoomInfo'}`
	w.change(w.alice, id, "?dryRun=1", edits).want(200,
		`{'status':'ok','dryRun':true,'applied':[`+done+`],'failed':[],'data':{'dryRun':true,'applied':[`+done+`],'failed':[]}}`)
	if got := w.pulled(w.alice, id)["space/entities/chair.json"]; got != chair {
		t.Errorf("chair after a dry run: got %s, want %s", got, chair)
	}
	w.change(w.alice, id, "", edits).want(200, strings.ReplaceAll(applied, "%", done))
	files = w.pulled(w.alice, id)
	if got, want := files["space/room.json"], room("Old mill"); got != want {
		t.Errorf("room: got %s, want %s", got, want)
	}
	if got, want := len(files), 11; got != want { // one gate fewer, one entity more
		t.Errorf("files: got %d, want %d", got, want)
	}
}

func TestChangeSet_stores_plugins_and_assets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{}`)
	image := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n"))
	w.change(w.alice, id, "", `{'puts':[{'path':'space/plugins/clock.mjs','content':'export default 1\r\n'},`+
		`{'path':'space/assets/a.png','encoding':'base64','content':'`+image+`'}]}`).
		want(200, strings.ReplaceAll(applied, "%", `{'op':'put_plugin','target':'clock.mjs'},{'op':'put_asset','target':'a.png'}`))
	plugin := func() (address string) {
		files := w.pulled(w.alice, id)
		var manifest struct {
			Plugins []struct{ File, SHA, URL string }
			Assets  []struct{ File string }
		}
		check(t, json.Unmarshal([]byte(files[model.ManifestFile]), &manifest))
		if len(manifest.Plugins) != 1 || len(manifest.Assets) != 1 || files["space/assets/a.png"] != "\x89PNG\r\n" {
			t.Fatalf("pulled: got %+v %q, want the plugin and the asset", manifest, files["space/assets/a.png"])
		}
		return manifest.Plugins[0].URL
	}
	first := plugin()
	if got, want := w.pulled(w.alice, id)["space/plugins/clock.mjs"], "export default 1\n"; got != want {
		t.Errorf("plugin: got %q, want %q", got, want)
	}
	w.call(w.alice, "POST", "/v1/spaces/"+id+"/entities", `{"entity_id":"clock","entity_data":{"glbUrl":"`+first+`","params":{"a":1}}}`).status2xx()
	w.change(w.alice, id, "", put("space/plugins/clock.mjs", "export default 1\n")).want(200,
		`{'status':'ok','noChanges':true,'applied':[],'failed':[],'data':{'noChanges':true,'applied':[],'failed':[]}}`)
	w.change(w.alice, id, "", put("space/plugins/clock.mjs", "export default 2\n")).status2xx()
	second := plugin()
	if entity := w.call(w.alice, "GET", "/v1/spaces/"+id+"/entities/clock", "").body; first == second || !strings.Contains(entity, second) {
		t.Errorf("entity: got %s, want it to show the new plugin at %s, not at %s", entity, second, first)
	}
	w.change(w.alice, id, "", `{'deletes':['space/plugins/clock.mjs','space/plugins/none.mjs']}`).
		want(200, strings.ReplaceAll(applied, "%", `{'op':'delete_plugin','target':'clock.mjs'}`))
}

func TestChangeSet_is_applied_whole_or_not_at_all(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{'space_type':'hub'}`)
	before := w.pulled(w.alice, id)
	used := w.call(w.alice, "GET", "/v1/user/me", "").body
	good := `{'path':'space/entities/good.json','content':'{\'type\':\'T\',\'data\':{}}'},{'path':'space/plugins/good.mjs','content':'1'}`
	for _, bad := range []struct{ file, content string }{
		{"space/entities/a.json", `{`}, {"space/entities/a.json", `[]`}, {"space/entities/a.json", `{"type":"T"}`},
		{"space/entities/a.json", `{"data":{}}`}, {"space/entities/a.json", `{"type":7,"data":{}}`},
		{"space/entities/a.json", `{"id":"b","type":"T","data":{}}`}, {"space/entities/a.json", `{"type":"T","data":{"x":"\u0000"}}`},
		{"space/entities/a.json", `{"type":"Gate","data":{}}`}, {"space/entities/a.json", `{"type":"DynamicGate","data":{}}`},
		{"space/entities/" + model.StaticGateIDs[1] + ".json", `{"type":"T","data":{}}`},
		{"space/entities/" + model.StaticGateIDs[1] + ".json", `{"type":"Gate","data":{"logoLinkURL":"javascript:1"}}`},
		{"space/entities/RoomInfo.json", `{"type":"Simple","data":{}}`}, {"space/entities/a b.json", `{}`}, {"space/entities/a/b.json", `{}`},
		{"space/room.json", `{"roomTitle":"` + strings.Repeat("x", 51) + `"}`}, {"space/room.json", `7`},
		{"space/plugins/a.js", "1"}, {"space/plugins/a.mjs/index.mjs", "1"}, {"space/plugins/.mjs/a", "1"},
		{"space/assets/a.exe", "1"}, {"space/assets/a.zip", "1"}, {"space/assets/a.png", ""}, {"space/assets/b/a.png", "1"},
		{"", "1"}, {"/", "1"}, {"/space/room.json", "{}"}, {"..", "1"}, {"../space/room.json", "{}"}, {"space/../room.json", "{}"},
		{"space//room.json", "{}"}, {"./space/room.json", "{}"}, {`space\room.json`, "{}"}, {"c:/space/room.json", "{}"},
		{"space/assets/a\nb.png", "1"}, {"space/assets/a\x00.png", "1"}, {"space/entities/..json", `x`}, {"space/entities/...json", `x`},
		{"space/assets/" + strings.Repeat("x", 400) + ".png", "1"},
	} {
		body := put(bad.file, bad.content)
		body = strings.Replace(body, `"puts":[`, `"puts":[`+quotes(good)+`,`, 1)
		got := w.call(w.alice, "POST", "/v1/spaces/"+id+"/changeset", body)
		var refusal struct {
			Status, Message  string
			ValidationErrors []struct{ File, Message string }
		}
		check(t, json.Unmarshal([]byte(got.body), &refusal))
		if got.status != 422 || refusal.Status != "error" || refusal.Message == "" || len(refusal.ValidationErrors) != 1 ||
			refusal.ValidationErrors[0].File != bad.file || refusal.ValidationErrors[0].Message == "" {
			t.Errorf("%q %q: got %d %s, want 422 with the file", bad.file, bad.content, got.status, got.body)
		}
		if bad.file == "" || strings.HasPrefix(bad.file, "/") { // the same in an archive
			continue
		}
		archive := archived(t, map[string]string{bad.file: bad.content, "space/entities/good.json": `{"type":"T","data":{}}`})
		if got := w.call(w.alice, "POST", "/v1/spaces/"+id+"/apply?force=1", archive); got.status != 422 {
			t.Errorf("archive of %q %q: got %d %s, want 422", bad.file, bad.content, got.status, got.body)
		}
	}
	for name, got := range w.pulled(w.alice, id) {
		if got != before[name] {
			t.Errorf("%s: got %q, want it as before", name, got)
		}
	}
	if got := w.call(w.alice, "GET", "/v1/user/me", "").body; got != used {
		t.Errorf("account: got %s, want %s as before", got, used)
	}
}

func TestChangeSet_is_the_owners(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, privacy := range []string{"Open", "Closed", "Link Only"} {
		id := w.space(w.alice, `{'privacy':'`+privacy+`'}`)
		for _, route := range []string{"/pull", "/changeset", "/apply?force=1"} {
			body := `{}`
			if strings.HasPrefix(route, "/apply") {
				body = archived(t, nil)
			}
			w.call(w.bob, "POST", "/v1/spaces/"+id+route, body).refused(403, "You are not authorized to access this space")
			w.call(w.bob, "POST", "/v1/spaces/none"+route, body).refused(404, "Space not found")
			w.call(account{key: "portico_x"}, "POST", "/v1/spaces/"+id+route, body).refused(401, "Invalid or expired API key")
		}
	}
	id := w.space(w.alice, `{}`)
	w.change(w.alice, id, "", `{'puts':7}`).refused(400, "puts must be a list of {path, content, encoding} or {path, resource_key}")
	w.change(w.alice, id, "", `{'puts':[],'deletes':[7]}`).refused(400, "deletes must be a list of paths")
	w.change(w.alice, id, "", `{'expected':'a'}`).refused(400, "expected must be a list of {path, sha256}")
	w.change(w.alice, id, "", `{'puts':[{'path':'a'},{'path':7}]}`).refused(400, "puts.1.path must be a string")
	w.change(w.alice, id, "", `{'puts':[7]}`).refused(400, "puts.0 must be an object")
	w.change(w.alice, id, "", `{'expected':[{'path':'a','sha256':[]}]}`).refused(400, "expected.0.sha256 must be a string")
	w.change(w.alice, id, "", `{`).refused(400, "Request body is not valid JSON at byte 1")
	w.change(w.alice, id, "", strings.Repeat(" ", maxChangeSet+1)).refused(413, "Request body is over the maximum of 37748736 bytes")
	w.call(w.alice, "POST", "/v1/spaces/"+id+"/apply", "no archive").refused(400, "Request body must be a zip archive")
}

func TestChangeSet_names_all_files_that_cannot_be_decoded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{}`)
	const encoding, content = "encoding must be utf-8 or base64", "The content is not base64"
	w.change(w.alice, id, "", `{'puts':[{'path':'a','encoding':'utf-16','content':'x'},{'path':'b','content':'x'},`+
		`{'path':'c','encoding':'base64','content':'?'},{'path':'d','encoding':'hex','content':'x'}]}`).
		want(422, `{'status':'error','message':'a: `+encoding+`; c: `+content+`; d: `+encoding+`','validationErrors':[`+
			`{'file':'a','message':'`+encoding+`'},{'file':'c','message':'`+content+`'},{'file':'d','message':'`+encoding+`'}]}`)
}

func TestChangeSet_ignores_blanks_around_the_body(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{}`)
	unchanged := `{'status':'ok','noChanges':true,'applied':[],'failed':[],'data':{'noChanges':true,'applied':[],'failed':[]}}`
	for _, body := range []string{"", " \n", "\n{}", "\r\n\t {'puts':[]} \n"} {
		w.change(w.alice, id, "", body).want(200, unchanged)
	}
}

func TestChangeSet_is_limited(t *testing.T) {
	t.Parallel()
	w := limitedWorld(t)
	id := w.space(w.alice, `{}`)
	for i := range 30 {
		route := []string{"/pull", "/changeset"}[i%2]
		w.call(w.alice, "POST", "/v1/spaces/"+id+route, "").status2xx()
	}
	w.call(w.alice, "POST", "/v1/spaces/"+id+"/apply", "").limited()
}
