package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"portico/model"
)

// ptr returns a pointer to a value, for optional fields.
func ptr[T any](value T) *T { return &value }

func TestCreateSpace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "My Room.ply")
	for _, test := range []struct {
		name string
		in   model.CreateSpace
		want model.Space
	}{
		{"empty", model.CreateSpace{}, model.Space{SpaceTexts: model.SpaceTexts{Title: "Untitled space"}, Type: model.SpaceInfinite, Privacy: model.Private}},
		{"with an empty title", model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Title: ptr("")}}, model.Space{SpaceTexts: model.SpaceTexts{Title: "Untitled space"}, Type: model.SpaceInfinite, Privacy: model.Private}},
		{"with a blank title", model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Title: ptr(" \u00a0 ")}}, model.Space{SpaceTexts: model.SpaceTexts{Title: "Untitled space"}, Type: model.SpaceInfinite, Privacy: model.Private}},
		{"with an empty resource key", model.CreateSpace{ResourceKey: ptr("")}, model.Space{SpaceTexts: model.SpaceTexts{Title: "Untitled space"}, Type: model.SpaceInfinite, Privacy: model.Private}},
		{"from a file", model.CreateSpace{ResourceKey: &file.ResourceKey}, model.Space{SpaceTexts: model.SpaceTexts{Title: "My Room"}, Type: model.SpaceInfinite, Privacy: model.Private}},
		{
			"in full",
			model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Title: ptr("Hall"), Description: ptr("A <b>hall</b>")}, ResourceKey: &file.ResourceKey, Type: ptr(model.SpaceHub), Privacy: ptr(model.LinkOnly)},
			model.Space{SpaceTexts: model.SpaceTexts{Title: "Hall", Description: "A <b>hall</b>"}, Type: model.SpaceHub, Privacy: model.LinkOnly},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := w.Mutation().CreateSpace(w.alice.ctx, test.in)
			check(t, err)
			stored := w.mustSpace(got)
			for _, space := range []*model.Space{got, stored} {
				equal(t, "title", space.Title, test.want.Title)
				equal(t, "description", space.Description, test.want.Description)
				equal(t, "type", space.Type, test.want.Type)
				equal(t, "privacy", space.Privacy, test.want.Privacy)
			}
			url := w.SpaceURL(got)
			equal(t, "url", url, webURL+"/"+got.ID)
			if !strings.HasPrefix(got.ID, w.alice.id+"_") || len(got.ID) < len(w.alice.id)+20 {
				t.Errorf("id: got %q, want the user's id and an unguessable suffix", got.ID)
			}
		})
	}
}

func TestCreateSpace_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "a.glb")
	for _, test := range []struct {
		name    string
		in      model.CreateSpace
		code    model.Code
		message string
	}{
		{"an unknown type", model.CreateSpace{Type: ptr(model.SpaceType("room"))}, model.CodeInvalid, "space_type must be hub or infinite"},
		{"an unknown privacy", model.CreateSpace{Privacy: ptr(model.Privacy("Secret"))}, model.CodeInvalid, "Invalid privacy option"},
		{"Link Only to a free user", model.CreateSpace{Privacy: ptr(model.LinkOnly)}, model.CodeInvalid, "You need to be a Pro user to set a space to Link Only"},
		{"another user's file", model.CreateSpace{ResourceKey: &file.ResourceKey}, model.CodeNotFound, "File not found"},
		{"a long title", model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Title: ptr(strings.Repeat("ä", 501))}}, model.CodeInvalid, "title must have at most 500 characters"},
		{"a NUL in the description", model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Description: ptr("\x00")}}, model.CodeInvalid, "description must not contain a NUL character"},
		{"a NUL in the data", model.CreateSpace{Data: model.Object(`{"a":"\u0000"}`)}, model.CodeInvalid, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := w.Mutation().CreateSpace(w.bob.ctx, test.in)
			checkError(t, err, test.code, test.message)
			spaces, err := w.Query().Spaces(w.bob.ctx, nil, nil, nil)
			check(t, err)
			equal(t, "spaces", spaces.TotalCount, 0)
		})
	}
}

func TestCreateSpace_adds_the_first_entities(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := func(in model.CreateSpace) []string {
		t.Helper()
		space, err := w.Mutation().CreateSpace(w.alice.ctx, in)
		check(t, err)
		info := w.entity(space, model.RoomInfoID)
		equal(t, "RoomInfo's type", info.Type, model.TypeSimple)
		page, err := w.entitiesIn(w.alice.ctx, space, pageOf(nil, nil))
		check(t, err)
		equal(t, "total", page.TotalCount, len(page.Nodes))
		list := []string{}
		for _, entity := range page.Nodes {
			list = append(list, entity.EntityID)
		}
		return list
	}
	file := w.file(w.alice, "room.ply")
	gates := strings.Join(model.StaticGateIDs[:], " ")
	equal(t, "infinite", strings.Join(ids(model.CreateSpace{}), " "), "")
	equal(t, "hub", strings.Join(ids(model.CreateSpace{Type: ptr(model.SpaceHub)}), " "), gates)
	hub := ids(model.CreateSpace{Type: ptr(model.SpaceHub), ResourceKey: &file.ResourceKey})
	equal(t, "hub with a file", strings.Join(hub[:7], " "), gates)
	if len(hub) != 8 || !strings.HasPrefix(hub[7], "user-model-") || len(hub[7]) != len("user-model-")+16 {
		t.Errorf("entity of the file: got %v, want user-model- and 16 hex digits", hub[7:])
	}
}

func TestSpace_shows_its_file(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, rotation := range map[string]string{"a.glb": `{"x":0,"y":0,"z":0}`, "a.ply": `{"x":0,"y":0,"z":180}`, "a.SOG": `{"x":0,"y":0,"z":180}`} {
		file := w.file(w.alice, name)
		space, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{ResourceKey: &file.ResourceKey})
		check(t, err)
		page, err := w.entitiesIn(w.alice.ctx, space, pageOf(nil, nil))
		check(t, err)
		entity := page.Nodes[0]
		equal(t, "type", entity.Type, model.TypeUserModel)
		checkData(t, entity.Data, fmt.Sprintf(`{"glbUrl":"%s","scale":[1,1,1],"rotation":%s,"position":[0,0,0]}`,
			w.store.PublicURL(file.StorageKey()), rotation))
	}
}

func TestPrivacy_is_checked_in_every_operation_that_sets_it(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	setters := map[string]func(who account, space *model.Space, privacy model.Privacy) (*model.Space, error){
		"createSpace": func(who account, _ *model.Space, privacy model.Privacy) (*model.Space, error) {
			return w.Mutation().CreateSpace(who.ctx, model.CreateSpace{Privacy: &privacy})
		},
		"updateSpace": func(who account, space *model.Space, privacy model.Privacy) (*model.Space, error) {
			return w.Mutation().UpdateSpace(who.ctx, model.UpdateSpace{SpaceID: space.ID, Privacy: &privacy})
		},
		"updateSpacePrivacy": func(who account, space *model.Space, privacy model.Privacy) (*model.Space, error) {
			return w.Mutation().UpdateSpacePrivacy(who.ctx, model.UpdateSpacePrivacy{SpaceID: space.ID, Privacy: privacy})
		},
	}
	for _, test := range []struct {
		privacy   model.Privacy
		free, pro string // the refusal of each plan
	}{
		{model.Public, "", ""},
		{model.Private, "", ""},
		{model.LinkOnly, "You need to be a Pro user to set a space to Link Only", ""},
		{"", "Invalid privacy option", "Invalid privacy option"},
		{"public", "Invalid privacy option", "Invalid privacy option"},
		{"LINK_ONLY", "Invalid privacy option", "Invalid privacy option"},
	} {
		for name, set := range setters {
			for who, refusal := range map[*account]string{&w.bob: test.free, &w.alice: test.pro} {
				t.Run(fmt.Sprintf("%s/%s/%t", name, test.privacy, who == &w.alice), func(t *testing.T) {
					got, err := set(*who, w.space(*who, model.SpaceInfinite), test.privacy)
					if refusal != "" {
						checkError(t, err, model.CodeInvalid, refusal)
						return
					}
					check(t, err)
					equal(t, "privacy", w.mustSpace(got).Privacy, test.privacy)
				})
			}
		}
	}
}

func TestDeleteSpace_deletes_the_space_with_its_entities(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceHub)
	id, err := w.Mutation().DeleteSpace(w.alice.ctx, space.ID)
	check(t, err)
	equal(t, "id", id, space.ID)
	_, err = w.Query().Entity(w.alice.ctx, space.ID, model.StaticGateIDs[0])
	checkError(t, err, model.CodeNotFound, "Space not found")
	_, err = w.Mutation().DeleteSpace(w.alice.ctx, space.ID)
	checkError(t, err, model.CodeNotFound, "Space not found")
}

func TestSpaces_lists_and_searches_the_spaces_of_the_caller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 5 {
		_, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Title: ptr(fmt.Sprintf("Space %d%%", i))}})
		check(t, err)
	}
	w.space(w.bob, model.SpaceInfinite)
	var titles []string
	after := ""
	for more := true; more; {
		page, err := w.Query().Spaces(w.alice.ctx, nil, ptr(2), &after)
		check(t, err)
		equal(t, "total", page.TotalCount, 5)
		for _, edge := range page.Edges() {
			titles = append(titles, edge.Node.Title)
		}
		if more = page.PageInfo.HasNextPage; more {
			after = *page.PageInfo.EndCursor
		}
	}
	equal(t, "titles", strings.Join(titles, ", "), "Space 4%, Space 3%, Space 2%, Space 1%, Space 0%")
	for search, want := range map[string]int{"space": 5, "3": 1, "%": 5, "_": 0, "none": 0, "  3%  ": 1} {
		page, err := w.Query().Spaces(w.alice.ctx, &search, nil, nil)
		check(t, err)
		equal(t, "found with "+search, page.TotalCount, want)
	}
}
