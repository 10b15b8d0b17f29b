package contract

import (
	"fmt"
	"strings"
	"testing"

	"portico/model"
)

func TestGolden_entities(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	path := "/v1/spaces/" + w.space(w.alice, `{}`) + "/entities"
	key := w.upload(w.alice, "chair.glb", "model/gltf-binary", "glTF")
	splat := w.upload(w.alice, "room.spz", "application/octet-stream", "spz")
	foreign := w.upload(w.bob, "lamp.glb", "model/gltf-binary", "glTF")

	w.golden("create-bare", 201, "Nothing at all makes an entity of type Simple.", w.call(w.alice, "POST", path, ``))
	w.golden("create-from-a-file", 201, "What is sent lies over the file's defaults, glbUrl over all.",
		w.call(w.alice, "POST", path, `{'resource_key':'`+key+`','entity_data':{'label':'My chair','scale':[2,2,2],'glbUrl':'ignored'}}`))
	w.golden("create-from-a-splat", 201, "A splat is turned upright.", w.call(w.alice, "POST", path, `{'resource_key':'`+splat+`'}`))
	w.golden("create-exact", 201, "An id and a type of one's own. Numbers keep their value, texts are not escaped.",
		w.call(w.alice, "POST", path, `{'entity_id':'My.own_id-1','entity_type':'Light','entity_data':{'n':12345678901234567890,'f':1.50,'h':'<a>&</a>','z':null}}`))
	w.golden("create-again", 200, "A taken id is updated: the fields that are sent are laid over the stored ones.",
		w.call(w.alice, "POST", path, `{'entity_id':'My.own_id-1','entity_data':{'n':1}}`))
	w.golden("create-bad-id", 400, "An id has 1 to 128 letters, digits, dots, underscores and hyphens.",
		w.call(w.alice, "POST", path, `{'entity_id':'a/b'}`))
	w.golden("create-empty-type", 400, "A type is not empty.", w.call(w.alice, "POST", path, `{'entity_type':''}`))
	w.golden("create-data-no-object", 400, "A field of another JSON type is named.", w.call(w.alice, "POST", path, `{'entity_data':[]}`))
	w.golden("create-nul", 400, "Text that cannot be stored.", w.call(w.alice, "POST", path, `{'entity_data':{'a':'\u0000'}}`))
	w.golden("create-another-users-file", 404, "Another user's file is not there.",
		w.call(w.alice, "POST", path, `{'resource_key':'`+foreign+`'}`))
	w.golden("create-another-users-space", 403, "Another user's space.", w.call(w.bob, "POST", path, ``))
	w.golden("create-unknown-space", 404, "No such space.", w.call(w.alice, "POST", "/v1/spaces/none/entities", ``))

	w.golden("list", 200, "In the order of creation, without RoomInfo.", w.call(w.alice, "GET", path, ""))
	page := w.golden("first-page", 200, "Three entities a page; total is the space's.", w.call(w.alice, "GET", path+"?limit=3", ""))
	w.golden("last-page", 200, "The page after it, which is the last.",
		w.call(w.alice, "GET", path+"?limit=3&cursor="+page.data(t, "nextCursor"), ""))
	w.golden("limit-below-1", 400, "The limit is at least 1.", w.call(w.alice, "GET", path+"?limit=0", ""))
	w.golden("bad-cursor", 400, "Only a cursor of this server is accepted.", w.call(w.alice, "GET", path+"?cursor=x", ""))
	w.golden("list-another-users", 403, "Another user's space.", w.call(w.bob, "GET", path, ""))
	w.golden("list-unknown-space", 404, "No such space.", w.call(w.alice, "GET", "/v1/spaces/none/entities", ""))

	one := path + "/My.own_id-1"
	w.exec(`UPDATE entities SET state = '{"on":true}' WHERE entity_id = 'My.own_id-1'`)
	w.golden("get", 200, "One entity with its state.", w.call(w.alice, "GET", one, ""))
	w.golden("get-roominfo", 200, "The internal entity is answered by its name.", w.call(w.alice, "GET", path+"/RoomInfo", ""))
	w.golden("get-unknown", 404, "No such entity.", w.call(w.alice, "GET", path+"/none", ""))
	w.golden("get-unknown-space", 404, "No such space, said first.", w.call(w.alice, "GET", "/v1/spaces/none/entities/none", ""))
	w.golden("get-another-users", 403, "Another user's space, said before the entity is looked for.", w.call(w.bob, "GET", path+"/none", ""))
	w.golden("put", 200, "The fields are merged; null stores null, and an object is replaced as a whole.",
		w.call(w.alice, "PUT", one, `{'entity_data':{'h':null,'new':{'a':1}}}`))
	w.golden("put-keeps-the-state", 200, "An update keeps the state.", w.call(w.alice, "GET", one, ""))
	w.golden("put-without-data", 400, "The data is required.", w.call(w.alice, "PUT", one, `{}`))
	w.golden("put-unknown", 404, "No such entity.", w.call(w.alice, "PUT", path+"/none", `{'entity_data':{}}`))
	w.golden("put-another-users", 403, "Another user's space.", w.call(w.bob, "PUT", one, `{'entity_data':{}}`))
	w.golden("delete-another-users", 403, "Another user's space.", w.call(w.bob, "DELETE", one, ""))
	w.golden("delete", 200, "Deletes the entity for good.", w.call(w.alice, "DELETE", one, ""))
	w.golden("delete-again", 404, "It is gone.", w.call(w.alice, "DELETE", one, ""))
	w.golden("delete-roominfo", 400, "The internal entity stays.", w.call(w.alice, "DELETE", path+"/RoomInfo", ""))
}

func TestGolden_gates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	hub := w.space(w.alice, `{'space_type':'hub'}`)
	path := "/v1/spaces/" + hub + "/entities"
	gate := path + "/" + model.StaticGateIDs[0]
	const placed = `'dynamicGate':{'position':{'x':0,'y':0,'z':2},'rotation':{'x':0,'y':90,'z':0}}`

	w.golden("hub", 200, "The seven static gates of a new hub, in index order.", w.call(w.alice, "GET", path, ""))
	w.golden("fill-with-a-page", 200, "The platform is set from the link where it is left out.",
		w.call(w.alice, "PUT", gate, `{'entity_data':{'title':'Docs','link':'https://go.dev/doc','videoURL':'https://go.dev/doc','description':'<b>Read</b>'}}`))
	w.golden("fill-with-a-space", 200, "A link to a space, by POST with the static id.",
		w.call(w.alice, "POST", path, `{'entity_id':'`+model.StaticGateIDs[1]+`','entity_type':'Gate','entity_data':{'title':'Home','link':'`+hub+`','platform':'arrival.space'}}`))
	w.golden("clear", 200, "Empty texts clear a static gate.",
		w.call(w.alice, "PUT", gate, `{'entity_data':{'title':'','link':'','description':'','videoURL':'','logoURL':'','logoLinkURL':''}}`))
	w.golden("wrong-platform-for-a-page", 400, "The platform matches the link.",
		w.call(w.alice, "PUT", gate, `{'entity_data':{'link':'https://go.dev','platform':'arrival.space'}}`))
	w.golden("wrong-platform-for-a-space", 400, "The platform matches the link.",
		w.call(w.alice, "PUT", gate, `{'entity_data':{'link':'`+hub+`','platform':'<auto-detect>'}}`))
	w.golden("bad-link", 400, "A link is a space id or an http or https URL.",
		w.call(w.alice, "PUT", gate, `{'entity_data':{'link':'javascript:alert(1)'}}`))
	w.golden("title-no-string", 400, "The types of the gate's fields are checked.",
		w.call(w.alice, "PUT", gate, `{'entity_data':{'title':7}}`))
	w.golden("flag-no-boolean", 400, "The types of the gate's fields are checked.",
		w.call(w.alice, "PUT", gate, `{'entity_data':{'openAsTab':'yes'}}`))
	w.golden("screen-no-number", 400, "The types of the gate's fields are checked.",
		w.call(w.alice, "PUT", gate, `{'entity_data':{'screenSelect':'0'}}`))

	w.golden("create", 201, "A dynamic gate, with its defaults.",
		w.call(w.alice, "POST", path, `{'entity_id':'door','entity_type':'DynamicGate','entity_data':{'title':'Go','link':'https://go.dev',`+placed+`}}`))
	w.golden("move", 200, "Within dynamicGate it is field by field again: a gate is moved by its position alone.",
		w.call(w.alice, "PUT", path+"/door", `{'entity_data':{'dynamicGate':{'position':{'x':3,'y':0,'z':2}}}}`))
	w.golden("create-in-an-infinite-space", 201, "Dynamic gates stand in both kinds of spaces.",
		w.call(w.alice, "POST", "/v1/spaces/"+w.space(w.alice, `{}`)+"/entities", `{'entity_type':'DynamicGate','entity_data':{`+placed+`}}`))
	w.golden("create-without-place", 400, "A dynamic gate needs dynamicGate.",
		w.call(w.alice, "POST", path, `{'entity_type':'DynamicGate'}`))
	w.golden("create-without-position", 400, "It needs a position.",
		w.call(w.alice, "POST", path, `{'entity_type':'DynamicGate','entity_data':{'dynamicGate':{'rotation':{'x':0,'y':0,'z':0}}}}`))
	w.golden("create-without-rotation", 400, "It needs a rotation.",
		w.call(w.alice, "POST", path, `{'entity_type':'DynamicGate','entity_data':{'dynamicGate':{'position':{'x':0,'y':0,'z':0}}}}`))
	w.golden("place-no-number", 400, "The axes are numbers.",
		w.call(w.alice, "PUT", path+"/door", `{'entity_data':{'dynamicGate':{'position':{'x':'3','y':0,'z':2}}}}`))
	w.golden("hidden-no-boolean", 400, "hidden and frameless are true or false.",
		w.call(w.alice, "PUT", path+"/door", `{'entity_data':{'dynamicGate':{'hidden':1}}}`))
	w.golden("create-static", 400, "Static gates cannot be added.",
		w.call(w.alice, "POST", path, `{'entity_type':'Gate'}`))
	w.golden("delete-dynamic", 200, "A dynamic gate is removed.", w.call(w.alice, "DELETE", path+"/door", ""))
	w.golden("delete-static", 200, "A static gate can be deleted, and leaves an empty slot.", w.call(w.alice, "DELETE", gate, ""))
	w.golden("restore-static", 400, "The slot cannot be filled again.",
		w.call(w.alice, "POST", path, `{'entity_id':'`+model.StaticGateIDs[0]+`','entity_data':{'title':'Back'}}`))
}

func TestGates_are_allowed_only_in_hubs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	for _, kind := range []string{"infinite", "hub"} {
		path := "/v1/spaces/" + w.space(w.alice, `{'space_type':'`+kind+`'}`) + "/entities"
		want := ""
		if kind == "hub" {
			want = strings.Join(model.StaticGateIDs[:], "")
		}
		if got := ids(t, w.send(t, w.call(w.alice, "GET", path, ""))); got != want {
			t.Errorf("%s: got %s, want %s", kind, got, want)
		}
		for i := range 10 {
			want += fmt.Sprintf("gate%d", i)
			w.send(t, w.call(w.alice, "POST", path, fmt.Sprintf(`{'entity_id':'gate%d','entity_type':'DynamicGate',`+
				`'entity_data':{'dynamicGate':{'position':{'x':0,'y':0,'z':0},'rotation':{'x':0,'y':0,'z':0}}}}`, i)))
		}
		if got := ids(t, w.send(t, w.call(w.alice, "GET", path, ""))); got != want {
			t.Errorf("%s: got %s, want %s", kind, got, want)
		}
	}
}
