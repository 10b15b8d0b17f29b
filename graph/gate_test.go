package graph_test

import (
	"fmt"
	"testing"

	"portico/model"
)

// placed is the minimum data of a dynamic gate.
var placed = model.Object(`{"dynamicGate":{"position":{"x":1,"y":2,"z":3},"rotation":{"x":0,"y":90,"z":0}}}`)

func withPlace(fields string) model.Object { return placed.With(model.Object(fields)) }

func (w *world) dynamicGate(space *model.Space, id string, data model.Object) (*model.CreatedEntity, error) {
	return w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &id, Type: ptr(model.TypeDynamicGate), Data: data})
}

const platformRule = `entity_data.platform must be `

// A row for each pair of link and platform.
func TestGatePlatform_must_fit_the_link(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceHub)
	const (
		internal = "arrival.space"
		external = "<auto-detect>"
		spaceID  = "12345678_abcdef"
		page     = "https://example.com/a?b=c"
	)
	for i, test := range []struct {
		data     string
		platform string // as stored; "" when refused
		message  string
	}{
		{`{}`, internal, ""},
		{`{"link":""}`, internal, ""},
		{`{"link":"","platform":"<auto-detect>"}`, external, ""},
		{`{"link":"","platform":"anything"}`, "anything", ""},
		{`{"link":"` + spaceID + `"}`, internal, ""},
		{`{"link":"` + spaceID + `","platform":"arrival.space"}`, internal, ""},
		{`{"link":"` + spaceID + `","platform":"<auto-detect>"}`, "", platformRule + "arrival.space for a link to a space"},
		{`{"link":"` + page + `"}`, external, ""},
		{`{"link":"http://example.com"}`, external, ""},
		{`{"link":"` + page + `","platform":"<auto-detect>"}`, external, ""},
		{`{"link":"` + page + `","platform":"arrival.space"}`, "", platformRule + "<auto-detect> for a link to a URL"},
		{`{"link":"` + page + `","platform":""}`, "", platformRule + "<auto-detect> for a link to a URL"},
		{`{"link":"ftp://example.com"}`, "", "entity_data.link must be empty, a space id, or an http or https URL"},
		{`{"link":"javascript:alert(1)"}`, "", "entity_data.link must be empty, a space id, or an http or https URL"},
		{`{"link":"https://"}`, "", "entity_data.link must be empty, a space id, or an http or https URL"},
	} {
		for _, id := range []string{model.StaticGateIDs[i%7], fmt.Sprint("gate-", i)} {
			t.Run(fmt.Sprintf("%s of %s", test.data, id), func(t *testing.T) {
				kind, data := (*string)(nil), model.Object(test.data)
				if !model.IsStaticGateID(id) {
					kind, data = ptr(model.TypeDynamicGate), withPlace(test.data)
				} else {
					_, err := w.merge(space, id, `{"link":"","platform":"arrival.space"}`)
					check(t, err)
				}
				got, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &id, Type: kind, Data: data})
				if test.message != "" {
					checkError(t, err, model.CodeInvalid, test.message)
					return
				}
				check(t, err)
				equal(t, "platform", string(got.Entity.Data.Fields()["platform"]), string(model.NewObject(map[string]string{"p": test.platform}).Fields()["p"]))
			})
		}
	}
}

// TestGatePlatform_after_a_merge checks the rule for fields that are merged into a stored gate.
func TestGatePlatform_after_a_merge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceHub)
	gate := model.StaticGateIDs[3]
	for _, step := range []struct{ data, message string }{
		{`{"link":"https://example.com"}`, ""},
		{`{"title":"A page","openAsTab":true}`, ""},
		{`{"platform":"arrival.space"}`, platformRule + "<auto-detect> for a link to a URL"},
		{`{"link":"12345678_abc","platform":"arrival.space"}`, ""},
		{`{"platform":"<auto-detect>"}`, platformRule + "arrival.space for a link to a space"},
		{`{"link":"https://example.com"}`, ""}, // the platform follows
		{`{"title":1}`, "entity_data.title must be a string"},
		{`{"title":null}`, ""}, // null stores null
		{`{"openAsTab":"yes"}`, "entity_data.openAsTab must be true or false"},
		{`{"screenSelect":"0"}`, "entity_data.screenSelect must be a number"},
	} {
		t.Run(step.data, func(t *testing.T) {
			before := w.entity(space, gate)
			_, err := w.merge(space, gate, step.data)
			if step.message == "" {
				check(t, err)
				return
			}
			checkError(t, err, model.CodeInvalid, step.message)
			after := w.entity(space, gate)
			checkData(t, after.Data, string(before.Data))
			equal(t, "changed at", after.ChangedAt, before.ChangedAt)
		})
	}
	t.Run("clears with empty strings", func(t *testing.T) {
		got, err := w.merge(space, gate, `{"title":"","link":"","description":"","videoURL":"","logoURL":"","logoLinkURL":""}`)
		check(t, err)
		equal(t, "link", string(got.Data.Fields()["link"]), `""`)
		equal(t, "title", string(got.Data.Fields()["title"]), `""`)
	})
}

func TestStaticGates_can_be_updated_but_not_created(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hub, infinite := w.space(w.alice, model.SpaceHub), w.space(w.alice, model.SpaceInfinite)
	deleted, gate := model.StaticGateIDs[0], model.StaticGateIDs[1]
	_, err := w.Mutation().DeleteEntity(w.alice.ctx, hub.ID, deleted)
	check(t, err)
	_, err = w.put(model.CreateEntity{SpaceID: hub.ID, EntityID: ptr("chair")})
	check(t, err)
	for _, test := range []struct {
		name  string
		space *model.Space
		id    *string
		kind  *string
	}{
		{"without an id", hub, nil, ptr("Gate")},
		{"with a new id", hub, ptr("gate"), ptr("Gate")},
		{"that was deleted", hub, &deleted, ptr("Gate")},
		{"that was deleted, without a type", hub, &deleted, nil},
		{"that was deleted, as another type", hub, &deleted, ptr("Simple")},
		{"that was deleted, as a dynamic one", hub, &deleted, ptr("DynamicGate")},
		{"in an infinite space", infinite, &gate, ptr("Gate")},
		{"in an infinite space, without a type", infinite, &gate, nil},
		{"of another entity", hub, ptr("chair"), ptr("Gate")},
		{"of an existing gate, as another type", hub, &gate, ptr("Simple")},
	} {
		t.Run("refuses one "+test.name, func(t *testing.T) {
			_, err := w.put(model.CreateEntity{SpaceID: test.space.ID, EntityID: test.id, Type: test.kind, Data: placed})
			checkError(t, err, model.CodeInvalid, "")
		})
	}
	equal(t, "gate's type", w.entity(hub, gate).Type, "Gate")
	equal(t, "chair's type", w.entity(hub, "chair").Type, "Simple")
	for name, kind := range map[string]*string{"its type": ptr("Gate"), "no type": nil} {
		t.Run("updates one with "+name, func(t *testing.T) {
			got, err := w.put(model.CreateEntity{SpaceID: hub.ID, EntityID: &gate, Type: kind, Data: model.Object(`{"title":"Exit"}`)})
			check(t, err)
			equal(t, "created", got.Created, false)
			equal(t, "title", string(got.Entity.Data.Fields()["title"]), `"Exit"`)
			equal(t, "screen", string(got.Entity.Data.Fields()["screenSelect"]), `0`)
		})
	}
	_, err = w.merge(hub, deleted, `{"title":"Back"}`)
	checkError(t, err, model.CodeNotFound, "Entity not found")
	_, err = w.Mutation().DeleteEntity(w.alice.ctx, hub.ID, deleted)
	checkError(t, err, model.CodeNotFound, "Entity not found")
}
