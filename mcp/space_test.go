package mcp

import (
	"strings"
	"testing"

	"portico/graph/view"
	"portico/model"
)

func TestCreateSpace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := w.file(w.alice, "My Scene.json")
	for _, test := range []struct {
		name, arguments, title string
		kind                   model.SpaceType
		privacy                model.PrivacyWord
	}{
		{"empty", `{}`, "Untitled space", model.SpaceInfinite, "Closed"},
		{"a hub", `{"title":"Hall","space_type":"hub"}`, "Hall", model.SpaceHub, "Closed"},
		{"public", `{"title":"A","privacy":"Public"}`, "A", model.SpaceInfinite, "Open"},
		{"open", `{"title":"A","privacy":"Open"}`, "A", model.SpaceInfinite, "Open"},
		{"of a file", `{"resource_key":"` + key + `"}`, "My Scene", model.SpaceInfinite, "Closed"},
		{"with a blank title", `{"title":"  "}`, "Untitled space", model.SpaceInfinite, "Closed"},
		{"with null fields", `{"title":null,"data":null}`, "Untitled space", model.SpaceInfinite, "Closed"},
		{"with a name in another case", `{"Title":"B","SpaceType":"hub"}`, "Untitled space", model.SpaceInfinite, "Closed"},
		{"with the other spelling of a name", `{"title":"B","spaceType":"hub"}`, "B", model.SpaceHub, "Closed"},
		{"with a field that nobody knows", `{"title":"C","colour":"red"}`, "C", model.SpaceInfinite, "Closed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := read[view.CreatedSpaceWithID](w.call(w.alice, "create_space", test.arguments))
			equal(t, "title", got.Title, test.title)
			equal(t, "type", got.SpaceType, test.kind)
			equal(t, "address", got.SpaceURL, webURL+"/"+got.SpaceID)
			space := read[view.Space](w.call(w.alice, "get_space", `{"spaceId":"`+got.SpaceID+`"}`))
			equal(t, "privacy", space.Privacy, test.privacy)
			equal(t, "id", space.ID, got.SpaceID)
		})
	}
}

// TestSpace_refuses has a row for every tool of spaces and the reasons it has.
func TestSpace_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{}`)
	arguments := func(more string) string { return `{"spaceId":"` + id + `"` + more + `}` }
	const forbidden = "You are not authorized to access this space"
	for _, test := range []struct {
		who             *account
		tool, arguments string
		code            model.Code
		message         string
	}{
		{w.alice, "get_space", `{}`, model.CodeInvalid, "spaceId is required"},
		{w.alice, "get_space", `{"spaceId":7}`, model.CodeInvalid, "spaceId must be a string"},
		{w.alice, "get_space", `{"spaceId":"none"}`, model.CodeNotFound, "Space not found"},
		{w.bob, "get_space", arguments(""), model.CodeForbidden, forbidden},
		{w.alice, "list_spaces", `{"limit":0}`, model.CodeInvalid, "limit must be a whole number of at least 1"},
		{w.alice, "list_spaces", `{"limit":1.5}`, model.CodeInvalid, "limit must be a whole number of at least 1"},
		{w.alice, "list_spaces", `{"cursor":"x"}`, model.CodeInvalid, "cursor is not a cursor of this server"},
		{w.alice, "create_space", `{"title":1}`, model.CodeInvalid, "title must be a string"},
		{w.alice, "create_space", `{"data":[]}`, model.CodeInvalid, "data must be an object"},
		{w.alice, "create_space", `{"space_type":"cave"}`, model.CodeInvalid, "space_type must be hub or infinite"},
		{w.alice, "create_space", `{"resource_key":"api_uploads/none.glb"}`, model.CodeNotFound, "File not found"},
		{w.bob, "create_space", `{"privacy":"Link Only"}`, model.CodeInvalid, "You need to be a Pro user to set a space to Link Only"},
		{w.bob, "update_space", arguments(`,"title":"B"`), model.CodeForbidden, forbidden},
		{w.alice, "update_space", arguments(`,"privacy":"Hidden"`), model.CodeInvalid, "Invalid privacy option"},
		{w.bob, "delete_space", arguments(""), model.CodeForbidden, forbidden},
		{w.alice, "delete_space", `{"spaceId":"none"}`, model.CodeNotFound, "Space not found"},
		{w.alice, "update_space_privacy", arguments(""), model.CodeInvalid, "Invalid privacy option"},
		{w.alice, "update_space_privacy", arguments(`,"roomPrivacy":null`), model.CodeInvalid, "Invalid privacy option"},
		{w.alice, "update_space_privacy", arguments(`,"roomPrivacy":7`), model.CodeInvalid, "Invalid privacy option"},
		{w.alice, "update_space_privacy", `{"spaceId":"none"}`, model.CodeNotFound, "Space not found"},
		{w.alice, "update_space", arguments(`,"privacy":{}`), model.CodeInvalid, "Invalid privacy option"},
		{w.alice, "list_entities", arguments(`,"limit":"abc"`), model.CodeInvalid, "limit must be a whole number of at least 1"},
		{w.alice, "list_entities", arguments(`,"limit":1.5`), model.CodeInvalid, "limit must be a whole number of at least 1"},
		{w.alice, "list_entities", `{"spaceId":"none","limit":"abc"}`, model.CodeNotFound, "Space not found"},
		{w.alice, "update_space_privacy", arguments(`,"roomPrivacy":"Open"`), model.CodeInvalid, "Invalid privacy option"},
		{w.alice, "update_space_privacy", arguments(`,"roomPrivacy":"Public","informFollowers":"yes"`), model.CodeInvalid, "informFollowers must be true or false"},
		{w.alice, "update_space_privacy", `{"spaceId":"none","roomPrivacy":"Public"}`, model.CodeNotFound, "Space not found"},
		{w.bob, "update_space_privacy", arguments(`,"roomPrivacy":"Public"`), model.CodeForbidden, "You are not authorized to update the privacy of this space"},
	} {
		t.Run(test.tool+" "+test.arguments, func(t *testing.T) {
			t.Parallel()
			w.call(test.who, test.tool, test.arguments).refused(test.code, test.message)
		})
	}
}

func TestUpdateSpace_keeps_omitted_fields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{"title":"Before","description":"kept","data":{"theme":"dark","n":12345678901234567890}}`)
	w.call(w.alice, "update_space", `{"spaceId":"`+id+`","title":"<After>","privacy":"Link Only","data":{"theme":"light"}}`)
	got := w.call(w.alice, "get_space", `{"spaceId":"`+id+`"}`)
	space := read[struct {
		view.Space
		Theme string `json:"theme"`
	}](got)
	equal(t, "title", space.Title, "<After>")
	equal(t, "description", space.Description, "kept")
	equal(t, "privacy", space.Privacy, "Link Only")
	equal(t, "theme", space.Theme, "light")
	if _, data := got.text(); !strings.Contains(data, `"n":12345678901234567890`) || !strings.Contains(data, `"<After>"`) {
		t.Errorf("data: got %s, want the number to the digit and no escapes", data)
	}
}

func TestUpdateSpacePrivacy_publishes_a_space(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{}`)
	got := read[view.Notice](w.call(w.alice, "update_space_privacy", `{"spaceId":"`+id+`","roomPrivacy":"Public","informFollowers":true}`))
	equal(t, "message", got.Message, "Space privacy updated")
	equal(t, "privacy", read[view.Space](w.call(w.alice, "get_space", `{"spaceId":"`+id+`"}`)).Privacy, "Open")
}

func TestDeleteSpace_deletes_the_space(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{}`)
	equal(t, "message", read[view.Notice](w.call(w.alice, "delete_space", `{"spaceId":"`+id+`"}`)).Message, "Space deleted")
	w.call(w.alice, "get_space", `{"spaceId":"`+id+`"}`).refused(model.CodeNotFound, "Space not found")
}

func TestListSpaces_pages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, title := range []string{"one", "two", "three"} {
		w.space(w.alice, `{"title":"`+title+`"}`)
	}
	w.space(w.bob, `{"title":"another's"}`)
	first := read[view.SpaceList](w.call(w.alice, "list_spaces", `{"limit":2}`))
	if first.Count != 2 || first.Total != 3 || !first.HasMore || first.NextCursor == nil || first.Spaces[0].Title != "three" {
		t.Fatalf("first page: got %+v, want two of three, newest first", first)
	}
	last := read[view.SpaceList](w.call(w.alice, "list_spaces", `{"limit":2,"cursor":"`+*first.NextCursor+`"}`))
	if last.Count != 1 || last.HasMore || last.NextCursor != nil || last.Spaces[0].Title != "one" {
		t.Errorf("last page: got %+v, want the oldest", last)
	}
	found := w.call(w.alice, "list_spaces", `{"search":"TWO"}`)
	equal(t, "found", read[view.SpaceList](found).Count, 1)
	summary, _ := found.text()
	equal(t, "summary", summary, "1 of 1 spaces")
	equal(t, "nothing found", len(read[view.SpaceList](w.call(w.alice, "list_spaces", `{"search":"four"}`)).Spaces), 0)
}
