package graph_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"portico/model"
)

// A row for each type of object, which its owner and another user read by its id.
func TestNode_returns_null_to_those_who_may_not_read_it(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	private, public := w.space(w.alice, model.SpaceHub), w.open(w.alice, model.Public)
	_, err := w.put(model.CreateEntity{SpaceID: public.ID, EntityID: ptr("chair")})
	check(t, err)
	w.follow(w.alice, w.bob)
	bobs := w.space(w.bob, model.SpaceInfinite)
	_, err = w.Mutation().UpdateSpacePrivacy(w.bob.ctx, model.UpdateSpacePrivacy{SpaceID: bobs.ID, Privacy: model.Public, InformFollowers: true})
	check(t, err)
	notified, err := w.Notifications(w.alice.ctx, pageOf(nil, nil))
	check(t, err)
	trail, err := w.SecurityEvents(w.alice.ctx, w.alice.id, pageOf(nil, nil))
	check(t, err)
	for _, test := range []struct {
		kind, id  string
		forOthers bool // whether another user reads it too
	}{
		{"User", model.NodeID(model.NodeUser, w.alice.id), true},
		{"Space", public.NodeID(), true},
		{"Space", private.NodeID(), false},
		{"Entity", model.NodeID(model.NodeEntity, public.ID+"/chair"), true},
		{"Entity", model.NodeID(model.NodeEntity, private.ID+"/"+model.StaticGateIDs[0]), false},
		{"File", w.file(w.alice, "a.glb").NodeID(), false},
		{"Job", w.job(w.alice).NodeID(), false},
		{"Notification", notified.Nodes[0].NodeID(), false},
		{"SecurityEvent", trail.Nodes[0].NodeID(), false},
	} {
		t.Run(test.kind, func(t *testing.T) {
			t.Parallel()
			const query = `query($id: ID!) { node(id: $id) { __typename id } nodes(ids: [$id, $id]) { id } }`
			found := fmt.Sprintf(`{"node":{"__typename":"%s","id":"%s"},"nodes":[{"id":"%[2]s"},{"id":"%[2]s"}]}`, test.kind, test.id)
			equal(t, "for its owner", w.query(w.alice, query, map[string]any{"id": test.id}), found)
			want := `{"node":null,"nodes":[null,null]}`
			if test.forOthers {
				want = found
			}
			equal(t, "for another user", w.query(w.bob, query, map[string]any{"id": test.id}), want)
		})
	}
}

func TestNode_refuses_what_is_not_an_id(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct{ name, query, message string }{
		{"a raw id", `{ node(id: "10000000_x") { id } }`, "id is not an id that this server returned"},
		{"a raw id among ids", `{ nodes(ids: ["10000000_x"]) { id } }`, "ids must be ids that this server returned"},
		{"another type", `{ space(id: "` + model.NodeID(model.NodeFile, "x") + `") { id } }`, "id is the id of a File and must be the id of a Space"},
		{"an entity without its space", `{ entity(entityId: "chair") { id } }`, "spaceId is required when entityId is the id within the space"},
		{"too many ids", `{ nodes(ids: [` + strings.Repeat(`"x",`, 101) + `]) { id } }`, "ids must have at most 100 values"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code, message := w.refused(w.alice, request(test.query, nil))
			equal(t, "code", code, "INVALID")
			equal(t, "message", message, test.message)
		})
	}
	equal(t, "an unknown id", w.query(w.alice, `{ node(id: "`+model.NodeID(model.NodeSpace, "x")+`") { id } }`, nil), `{"node":null}`)
}

// TestNodes_need_one_statement_for_each_type reads many objects of several types together:
// the caller's own, another account's, and ids of no object.
func TestNodes_need_one_statement_for_each_type(t *testing.T) {
	t.Parallel()
	w, recorder := tracedWorld(t)
	w.makeRoom()
	var ids, want []string
	add := func(id string, readable bool) {
		ids = append(ids, id)
		if readable {
			want = append(want, `{"id":"`+id+`"}`)
		} else {
			want = append(want, "null")
		}
	}
	for _, who := range []account{w.alice, w.bob, w.alice} {
		isOwn := who.id == w.alice.id
		private, public := w.space(who, model.SpaceHub), w.space(who, model.SpaceHub)
		w.exec("UPDATE spaces SET privacy = CASE id WHEN '" + public.ID + "' THEN 'Public' ELSE 'Private' END WHERE id IN ('" +
			public.ID + "', '" + private.ID + "')")
		for _, space := range []*model.Space{private, public} {
			readable := isOwn || space == public
			add(space.NodeID(), readable)
			add(model.NodeID(model.NodeEntity, space.ID+"/"+model.StaticGateIDs[0]), readable)
			add(model.NodeID(model.NodeEntity, space.ID+"/none"), false)
		}
		add(model.NodeID(model.NodeUser, who.id), true)
		add(w.file(who, "a.glb").NodeID(), isOwn)
	}
	for _, kind := range []model.NodeType{model.NodeUser, model.NodeSpace, model.NodeEntity, model.NodeFile} {
		add(model.NodeID(kind, "unknown"), false)
		add(model.NodeID(kind, "\x00"), false)
	}
	add(ids[0], true) // twice
	encoded, err := json.Marshal(ids)
	check(t, err)
	query := `{ nodes(ids: ` + string(encoded) + `) { id } }`
	equal(t, "response", w.query(w.alice, query, nil), `{"nodes":[`+strings.Join(want, ",")+`]}`)
	if got, want := w.statements(recorder, query), 4; got != want {
		t.Errorf("statements: got %d, want %d", got, want)
	}
}

// Every argument accepts the global id and the id of REST.
func TestIDs_are_accepted_in_both_forms_and_returned_global(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("chair")})
	check(t, err)
	file := w.file(w.alice, "a.glb")
	chair := model.NodeID(model.NodeEntity, space.ID+"/chair")
	for name, ids := range map[string]map[string]any{
		"global":                 {"space": space.NodeID(), "file": file.NodeID(), "entity": chair, "in": nil},
		"global, with the space": {"space": space.NodeID(), "file": file.NodeID(), "entity": chair, "in": space.NodeID()},
		"of REST":                {"space": space.ID, "file": file.ResourceKey, "entity": "chair", "in": space.ID},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.query(w.alice, `query($space: ID!, $file: ID!, $entity: ID!, $in: ID) {
				space(id: $space) { id } file(id: $file) { id } entity(spaceId: $in, entityId: $entity) { id entityId } }`, ids)
			equal(t, "response", got, fmt.Sprintf(`{"space":{"id":"%s"},"file":{"id":"%s"},"entity":{"id":"%s","entityId":"chair"}}`,
				space.NodeID(), file.NodeID(), chair))
			update := map[string]any{"in": map[string]any{"spaceId": ids["in"], "entityId": ids["entity"], "data": map[string]any{"a": 1}}}
			w.query(w.alice, `mutation($in: UpdateEntityInput!) { updateEntity(input: $in) { entity { id } } }`, update)
		})
	}
	t.Run("an id within the space that looks like a global one", func(t *testing.T) {
		odd := model.NodeID(model.NodeEntity, "other/x")
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &odd})
		check(t, err)
		got := w.query(w.alice, `query($s: ID!, $e: ID!) { entity(spaceId: $s, entityId: $e) { entityId } }`, map[string]any{"s": space.ID, "e": odd})
		equal(t, "entity", got, `{"entity":{"entityId":"`+odd+`"}}`)
	})
}

// The test checks that the private fields of an account are null for others.
func TestUser_hides_private_fields_from_others(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const query = `query($id: ID!) { user(id: $id) { email plan storage { quota } securityEvents(first: 1) { totalCount } } }`
	id := map[string]any{"id": model.NodeID(model.NodeUser, w.alice.id)}
	equal(t, "for others", w.query(w.bob, query, id), `{"user":{"email":null,"plan":null,"storage":null,"securityEvents":null}}`)
	want := `{"email":"alice@example.com","plan":"PRO","storage":{"quota":10000},"securityEvents":{"totalCount":2}}`
	equal(t, "for the account", w.query(w.alice, query, id), `{"user":`+want+`}`)
	own := strings.Replace(strings.Replace(query, "query($id: ID!) ", "", 1), "user(id: $id)", "viewer", 1)
	equal(t, "as viewer", w.query(w.alice, own, nil), `{"viewer":`+want+`}`)
	var both struct{ Viewer, User struct{ ID string } }
	check(t, json.Unmarshal([]byte(w.query(w.alice, `query($id: ID!) { viewer { id } user(id: $id) { id } }`, id)), &both))
	equal(t, "id", both.Viewer.ID, both.User.ID)
}
