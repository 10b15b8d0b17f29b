package rest

import (
	"regexp"
	"strings"
	"testing"
)

func TestCreateEntity_makes_one(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/v1/spaces/" + w.space(w.alice, `{}`) + "/entities"
	key, address := w.upload(w.alice, "a.glb", "glTF")
	splat, splatAddress := w.upload(w.alice, "a.spz", "spz")
	const uuid, model = `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`, `user-model-[0-9a-f]{16}`
	for _, c := range []struct{ name, body, id, kind, data string }{
		{"from nothing", ``, uuid, "Simple", `{}`},
		{"from an empty object", `{}`, uuid, "Simple", `{}`},
		{"from nulls", `{'resource_key':null,'entity_id':null,'entity_type':null,'entity_data':null}`, uuid, "Simple", `{}`},
		{"with an id", `{'entity_id':'My.own_id-1'}`, `My\.own_id-1`, "Simple", `{}`},
		{"with a type", `{'entity_type':'Light'}`, uuid, "Light", `{}`},
		{"with data to the letter", `{'entity_data':{'n':12345678901234567890,'f':1.50,'h':'<a>&</a>','z':null}}`, uuid, "Simple",
			`{'f':1.50,'h':'<a>&</a>','n':12345678901234567890,'z':null}`},
		{"from a file", `{'resource_key':'` + key + `'}`, model, "UserModelEntity",
			`{'glbUrl':'` + address + `','position':[0,0,0],'rotation':{'x':0,'y':0,'z':0},'scale':[1,1,1]}`},
		{"from a splat, turned upright", `{'resource_key':'` + splat + `'}`, model, "UserModelEntity",
			`{'glbUrl':'` + splatAddress + `','position':[0,0,0],'rotation':{'x':0,'y':0,'z':180},'scale':[1,1,1]}`},
		{"from a file, with data over its defaults", `{'resource_key':'` + key + `','entity_data':{'scale':[2,2,2],'glbUrl':'x'}}`, model,
			"UserModelEntity", `{'glbUrl':'` + address + `','position':[0,0,0],'rotation':{'x':0,'y':0,'z':0},'scale':[2,2,2]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.call(w.alice, "POST", path, quotes(c.body))
			view := read[struct {
				EntityID   string       `json:"entity_id"`
				EntityType string       `json:"entity_type"`
				EntityData sortedObject `json:"entity_data"`
			}](got, 201)
			if !regexp.MustCompile(`^` + c.id + `$`).MatchString(view.EntityID) {
				t.Errorf("entity_id: got %s, want %s", view.EntityID, c.id)
			}
			if view.EntityType != c.kind {
				t.Errorf("entity_type: got %s, want %s", view.EntityType, c.kind)
			}
			if got, want := view.EntityData.String(), quotes(c.data); got != want {
				t.Errorf("entity_data: got %s, want %s", got, want)
			}
		})
	}
}

func TestCreateEntity_updates_the_one_that_has_the_id(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/v1/spaces/" + w.space(w.alice, `{}`) + "/entities"
	body := `{'entity_id':'a','entity_data':{'label':'x'}}`
	const want = `{'status':'ok','data':{'entity_id':'a','entity_type':'Simple','entity_data':{'label':'x'}}}`
	w.call(w.alice, "POST", path, quotes(body)).want(201, want)
	w.call(w.alice, "POST", path, quotes(body)).want(200, want)
}

func TestCreateEntity_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/v1/spaces/" + w.space(w.alice, `{}`) + "/entities"
	foreign, _ := w.upload(w.bob, "a.glb", "glTF")
	const badID = "entity_id must have 1 to 128 letters, digits, dots, underscores or hyphens"
	for _, c := range []struct {
		body   string
		status int
		want   string
	}{
		{`{'entity_id':''}`, 400, badID},
		{`{'entity_id':'a b'}`, 400, badID},
		{`{'entity_id':'a/b'}`, 400, badID},
		{`{'entity_id':'.'}`, 400, "entity_id must not be . or .."},
		{`{'entity_id':'..'}`, 400, "entity_id must not be . or .."},
		{`{'entity_id':'` + strings.Repeat("a", 129) + `'}`, 400, badID},
		{`{'entity_type':''}`, 400, "entity_type must not be empty"},
		{`{'entity_type':'Gate'}`, 400, "entity_type Gate: static gates cannot be added or restored"},
		{`{'entity_type':'DynamicGate'}`, 400, "entity_data.dynamicGate is required for a DynamicGate and must be an object"},
		{`{'entity_data':{'dynamicGate':1}}`, 400, "entity_data.dynamicGate must be an object"},
		{`{'resource_key':'none'}`, 404, "File not found"},
		{`{'resource_key':'` + foreign + `'}`, 404, "File not found"},
		{`{'entity_data':{'a':'\u0000'}}`, 400, "entity_data.a must not contain a NUL character"},
	} {
		w.call(w.alice, "POST", path, quotes(c.body)).refused(c.status, c.want)
	}
}

func TestEntity_shows_state_and_dates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/v1/spaces/" + w.space(w.alice, `{}`) + "/entities"
	w.call(w.alice, "POST", path, `{"entity_id":"a","entity_data":{"n":1}}`)
	w.exec(`UPDATE entities SET state = '{"on":true}', created_at = '2026-01-27T09:30:00Z', changed_at = '2026-01-27T09:30:01.5Z'`)
	const dates = `'created_date':'2026-01-27T09:30:00.000Z','change_date':'2026-01-27T09:30:01.500Z'`
	const entity = `{'entity_id':'a','entity_type':'Simple','entity_data':{'n':1},'entity_state':{'on':true},` + dates + `}`
	w.call(w.alice, "GET", path+"/a", "").want(200, `{'status':'ok','data':`+entity+`}`)
	// RoomInfo is neither listed nor counted, and returned by its name.
	w.call(w.alice, "GET", path, "").want(200,
		`{'status':'ok','data':{'entities':[`+entity+`],'count':1,'total':1,'nextCursor':null,'hasMore':false}}`)
	w.call(w.alice, "GET", path+"/RoomInfo", "").want(200,
		`{'status':'ok','data':{'entity_id':'RoomInfo','entity_type':'Simple','entity_data':{},'entity_state':{'on':true},`+dates+`}}`)
}

func TestUpdateEntity_merges_and_keeps_the_state(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/v1/spaces/" + w.space(w.alice, `{}`) + "/entities"
	w.call(w.alice, "POST", path, `{"entity_id":"a","entity_data":{"a":1,"b":{"c":1}}}`)
	w.exec(`UPDATE entities SET state = '{"on":true}'`)
	w.call(w.alice, "PUT", path+"/a", `{"entity_data":{"b":{"d":2},"e":null}}`).want(200,
		`{'status':'ok','data':{'entity_id':'a','entity_type':'Simple','entity_data':{'a':1,'b':{'d':2},'e':null}}}`)
	got := read[rawFields](w.call(w.alice, "GET", path+"/a", ""), 200)
	if got, want := compact(string(got["entity_state"])), `{"on":true}`; got != want {
		t.Errorf("entity_state: got %s, want %s", got, want)
	}
}

func TestUpdateEntity_moves_a_gate_by_its_position(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/v1/spaces/" + w.space(w.alice, `{'space_type':'hub'}`) + "/entities"
	w.call(w.alice, "POST", path, quotes(`{'entity_id':'g','entity_type':'DynamicGate','entity_data':{'link':'https://x.example',`+
		`'dynamicGate':{'position':{'x':1,'y':2,'z':3},'rotation':{'x':0,'y':0,'z':0}}}}`))
	got := read[struct {
		EntityData struct {
			Platform    string
			DynamicGate sortedObject
		} `json:"entity_data"`
	}](w.call(w.alice, "PUT", path+"/g", `{"entity_data":{"dynamicGate":{"position":{"x":4,"y":5,"z":6}}}}`), 200)
	want := quotes(`{'frameless':false,'hidden':false,'position':{'x':4,'y':5,'z':6},'rotation':{'x':0,'y':0,'z':0},'scale':{'h':1,'w':1}}`)
	if got := got.EntityData.DynamicGate.String(); got != want {
		t.Errorf("dynamicGate: got %s, want %s", got, want)
	}
	if got, want := got.EntityData.Platform, "<auto-detect>"; got != want {
		t.Errorf("platform: got %s, want %s", got, want)
	}
	w.call(w.alice, "PUT", path+"/9769e4b4-e5d9-4286-9353-c2c66b158347", `{"entity_data":{"title":7}}`).
		refused(400, "entity_data.title must be a string")
}

func TestDeleteEntity_is_permanent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/v1/spaces/" + w.space(w.alice, `{}`) + "/entities"
	w.call(w.alice, "POST", path, `{"entity_id":"a"}`)
	w.call(w.alice, "DELETE", path+"/a", "").want(200, `{'status':'ok','data':{'message':'Entity deleted'}}`)
	w.call(w.alice, "DELETE", path+"/a", "").refused(404, "Entity not found")
	w.call(w.alice, "DELETE", path+"/RoomInfo", "").refused(400, "entity_id: RoomInfo cannot be deleted")
}

func TestEntity_is_found_in_this_order(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hers := w.space(w.alice, `{'privacy':'Open'}`)
	for _, c := range []struct {
		name, space string
		who         account
		status      int
		want        string
	}{
		{"the space is not there", "none", w.alice, 404, "Space not found"},
		{"the space is another's", hers, w.bob, 403, "You are not authorized to access this space"},
		{"the entity is not there", hers, w.alice, 404, "Entity not found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := "/v1/spaces/" + c.space + "/entities"
			w.call(c.who, "GET", path+"/none", "").refused(c.status, c.want)
			w.call(c.who, "PUT", path+"/none", `{"entity_data":{}}`).refused(c.status, c.want)
			w.call(c.who, "DELETE", path+"/none", "").refused(c.status, c.want)
			if c.space == hers && c.who == w.alice {
				return
			}
			w.call(c.who, "GET", path, "").refused(c.status, c.want)
			w.call(c.who, "POST", path, "").refused(c.status, c.want)
		})
	}
}
