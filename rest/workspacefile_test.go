package rest

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"portico/model"
)

// putFiles returns a change set that puts these texts.
func putFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	var puts []map[string]string
	for path, content := range files {
		puts = append(puts, map[string]string{"path": path, "content": content})
	}
	body, err := json.Marshal(map[string]any{"puts": puts})
	check(t, err)
	return string(body)
}

// The add-on of the 3D editor reads the data of the room, and older clients send it bare.
func TestChangeSet_takes_the_room_as_the_file_of_an_entity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{'title':'Mill'}`)
	for _, sent := range []string{
		`{"id":"RoomInfo","type":"Simple","data":{"hideArchitecture":true}}`, `{"hideArchitecture":true}`, `{"data":{"hideArchitecture":true}}`,
		`{"id":"RoomInfo","data":{"hideArchitecture":true}}`,
	} {
		w.change(w.alice, id, "", put("space/room.json", `{"worldScale":1}`)).status2xx()
		w.change(w.alice, id, "", put("space/room.json", sent)).status2xx()
		got := w.call(w.alice, "GET", "/v1/spaces/"+id+"/entities/RoomInfo", "").body
		if !strings.Contains(got, `"entity_data":{"hideArchitecture": true}`) {
			t.Errorf("%s: got %s, want the data of the room", sent, got)
		}
	}
	for sent, want := range map[string]string{
		`{"id":"chair","type":"Simple","data":{}}`:        "id must be the name of the file without .json",
		`{"id":"RoomInfo","type":"Simple"}`:               "data is required and must be an object",
		`{"id":"RoomInfo","type":"Simple","data":[]}`:     "data must be an object",
		`{"roomTitle":7}`:                                 "roomTitle must be a string",
		`{"roomDescription":"` + long(2049) + `"}`:        "roomDescription has more than 2048 characters",
		`{"data":{"roomPrivacy":"Secret"}}`:               "Invalid privacy option",
		`{"data":{"roomPrivacy":true}}`:                   "Invalid privacy option",
		`{"id":"RoomInfo","data":{"dynamicGate":"none"}}`: "entity_data.dynamicGate must be an object",
	} {
		got := w.change(w.alice, id, "?dryRun=1", put("space/room.json", sent))
		if got.status != 422 || !strings.Contains(got.body, want) {
			t.Errorf("%.80s: got %d %s, want 422 and %q", sent, got.status, got.body, want)
		}
	}
}

func long(length int) string { return strings.Repeat("x", length) }

func TestChangeSet_pushes_the_settings_of_the_space(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.bob, `{'title':'`+long(60)+`'}`)
	changed := `{'status':'ok','applied':[{'op':'update_room','target':'RoomInfo'}],'failed':[],'data':{'applied':[{'op':'update_room','target':'RoomInfo'}],'failed':[]}}`
	const none = `{'status':'ok','noChanges':true,'applied':[],'failed':[],'data':{'noChanges':true,'applied':[],'failed':[]}}`
	push := func(query, data string) response {
		return w.change(w.bob, id, query, put("space/room.json", `{"id":"RoomInfo","type":"Simple","data":`+data+`}`))
	}
	is := func(title, description, privacy string) {
		t.Helper()
		got := w.call(w.bob, "GET", "/v1/spaces/"+id, "").body
		for _, part := range []string{`"title":"` + title + `"`, `"description":"` + description + `"`, `"privacy":"` + privacy + `"`} {
			if !strings.Contains(got, part) {
				t.Errorf("space: got %s, want %s", got, part)
			}
		}
	}
	// The title is longer than a room's may be: as it was pulled, it is no change.
	w.change(w.bob, id, "", put("space/room.json", w.pulled(w.bob, id)["space/room.json"])).want(200, none)
	push("", `{"roomTitle":" ","roomDescription":null}`).want(200, none)

	all := `{"roomTitle":"Old mill","roomDescription":"<b>wheel</b>","roomPrivacy":"Public"}`
	push("?dryRun=1", all).status2xx()
	is(long(60), "", "Closed")
	push("", all).want(200, changed)
	is("Old mill", "<b>wheel</b>", "Open")
	push("", all).want(200, none)
	if got := w.call(w.bob, "GET", "/v1/spaces/"+id+"/entities/RoomInfo", "").body; !strings.Contains(got, `"entity_data":{}`) {
		t.Errorf("RoomInfo: got %s, want no settings in its data", got)
	}
	for _, part := range []string{`"roomTitle": "Old mill"`, `"roomDescription": "<b>wheel</b>"`, `"roomPrivacy": "Public"`} {
		if got := w.pulled(w.bob, id)["space/room.json"]; !strings.Contains(got, part) {
			t.Errorf("pulled room: got %s, want %s", got, part)
		}
	}
	push("", `{"roomPrivacy":"Link Only"}`).want(422, `{'status':'error','message':'space/room.json: `+model.PrivacyNeedsPro+
		`','validationErrors':[{'file':'space/room.json','message':'`+model.PrivacyNeedsPro+`'}]}`)
	push("", `{"roomPrivacy":"Private","worldScale":2}`).want(200, changed)
	is("Old mill", "<b>wheel</b>", "Closed")

	// What the space is called elsewhere is a change of the file.
	expected := `{'path':'space/room.json','sha256':'` + w.sums(w.bob, id)["space/room.json"] + `'}`
	w.call(w.bob, "PUT", "/v1/spaces/"+id, `{"title":"New mill"}`).status2xx()
	w.change(w.bob, id, "", `{'puts':[],'expected':[`+expected+`]}`).
		want(409, `{'status':'error','message':'The space has changed since it was read: space/room.json','conflicts':['space/room.json']}`)
}

// sums returns the hashes of the manifest of a pull, by path.
func (w *world) sums(who account, id string) map[string]string {
	w.t.Helper()
	type listed struct{ File, SHA string }
	var manifest struct{ Entities, Plugins, Assets []listed }
	check(w.t, json.Unmarshal([]byte(w.pulled(who, id)[model.ManifestFile]), &manifest))
	sums := map[string]string{}
	for _, list := range [][]listed{manifest.Entities, manifest.Plugins, manifest.Assets} {
		for _, file := range list {
			sums[file.File] = file.SHA
		}
	}
	return sums
}

func TestChangeSet_replaces_tokens_by_addresses_and_back(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{}`)
	const clock = "{\n  \"id\": \"clock\",\n  \"type\": \"UserModelEntity\",\n  \"data\": {\n    \"glbUrl\": \"plugins/clock.mjs\",\n    \"params\": {\n" +
		"      \"faces\": [\n        \"assets/face one.png\",\n        \"assets/of wood\"\n      ]\n    }\n  }\n}\n"
	files := map[string]string{"space/entities/clock.json": clock}
	missing := w.change(w.alice, id, "?dryRun=1", putFiles(t, files))
	missing.want(422, `{'status':'error','message':'space/entities/clock.json: The space has no file space/plugins/clock.mjs. Add it, or remove it from the data',`+
		`'validationErrors':[{'file':'space/entities/clock.json','message':'The space has no file space/plugins/clock.mjs. Add it, or remove it from the data'}]}`)

	files["space/plugins/clock.mjs"], files["space/assets/face one.png"] = "export default 1\n", "\x89PNG"
	w.change(w.alice, id, "?dryRun=1", putFiles(t, files)).status2xx()
	w.change(w.alice, id, "", putFiles(t, files)).status2xx()
	entity := func() string { return w.call(w.alice, "GET", "/v1/spaces/"+id+"/entities/clock", "").body }
	first := entity()
	if strings.Contains(first, "plugins/clock.mjs") || !strings.Contains(first, `_clock.mjs"`) || !strings.Contains(first, `_face_one.png", "assets/of wood"]`) {
		t.Errorf("entity: got %s, want the addresses of the plugin and the asset", first)
	}
	pulled := w.pulled(w.alice, id)
	if got := pulled["space/entities/clock.json"]; got != clock {
		t.Errorf("pulled: got %s, want %s", got, clock)
	}
	maps.DeleteFunc(pulled, func(name, _ string) bool { return strings.HasSuffix(name, ".md") || name == model.ManifestFile })
	w.change(w.alice, id, "", putFiles(t, pulled)).
		want(200, `{'status':'ok','noChanges':true,'applied':[],'failed':[],'data':{'noChanges':true,'applied':[],'failed':[]}}`)

	// A new file under a name has another address, which every field of the data follows.
	before := w.sums(w.alice, id)["space/entities/clock.json"]
	w.change(w.alice, id, "", put("space/assets/face one.png", "\x89PNG2")).status2xx()
	if second := entity(); second == first || !strings.Contains(second, `_face_one.png", "assets/of wood"]`) {
		t.Errorf("entity: got %s, want another address of the asset than in %s", second, first)
	}
	if after := w.sums(w.alice, id)["space/entities/clock.json"]; after != before {
		t.Errorf("file of the entity: got the hash %s, want %s as before the change of the asset", after, before)
	}
	w.change(w.alice, id, "", `{'puts':[{'path':'space/entities/clock.json','content':'{\'type\':\'Simple\',\'data\':{\'glbUrl\':\'plugins/clock.mjs\'}}'}],
		'deletes':['space/plugins/clock.mjs']}`).refused422(t, "The space has no file space/plugins/clock.mjs")
}

// refused422 checks that a change set was refused with this message for a file.
func (r response) refused422(t *testing.T, message string) {
	t.Helper()
	if r.status != 422 || !strings.Contains(r.body, message) {
		t.Errorf("got %d %s, want 422 and %q", r.status, r.body, message)
	}
}

// The archive of an older client has the manifest of its last pull, which says what it has seen.
func TestApply_refuses_to_overwrite_what_others_have_changed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id, other := w.space(w.alice, `{}`), w.space(w.alice, `{}`)
	for _, space := range []string{id, other} {
		w.change(w.alice, space, "", put("space/entities/chair.json", `{"type":"Simple","data":{"a":1}}`)).status2xx()
	}
	files := w.pulled(w.alice, id)
	path := "/v1/spaces/" + id + "/apply"
	files["space/entities/chair.json"] = `{"type":"Simple","data":{"a":2}}`
	w.call(w.alice, "POST", path+"?dryRun=1", archived(t, files)).status2xx()
	w.call(w.alice, "PUT", "/v1/spaces/"+id+"/entities/chair", `{"entity_data":{"a":3}}`).status2xx()
	for _, query := range []string{"", "?dryRun=1"} {
		w.call(w.alice, "POST", path+query, archived(t, files)).want(409,
			`{'status':'error','message':'The space has changed since it was read: space/entities/chair.json','conflicts':['space/entities/chair.json']}`)
	}
	// A manifest that says nothing about this space refuses nothing.
	w.call(w.alice, "POST", "/v1/spaces/"+other+"/apply", archived(t, files)).status2xx()
	for _, manifest := range []string{`{"spaceId":"` + id + `"}`, "no JSON", `{"spaceId":"` + id + `","entities":[{"file":"../x","sha":"0"},{"file":7}]}`} {
		hostile := maps.Clone(files)
		hostile[model.ManifestFile] = manifest
		w.call(w.alice, "POST", path+"?dryRun=1", archived(t, hostile)).status2xx()
	}
	w.call(w.alice, "POST", path+"?force=1", archived(t, files)).status2xx()
}
