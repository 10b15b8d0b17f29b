package db

import (
	"strings"
	"testing"

	"portico/model"
)

func TestSearch_finds_every_part_of_a_text(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	space := addSpace(t, db, user, "Große Halle 50% — 東京の家 🏛")
	description := "second_floor \\ north"
	_, err := db.Spaces().UpdateSpace(t.Context(), model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Description: &description}})
	check(t, err)
	addSpace(t, db, user, "another")
	for search, want := range map[string]int{
		"Große Halle": 1, "GROSSE": 0, "große h": 1, "ALLE": 1, "0%": 1, "50%": 1, "5_%": 0, "%": 1, "_": 1, "d_f": 1, "dxf": 0,
		"京": 1, "東京": 1, "京東": 0, "東京の家": 1, "🏛": 1, `\`: 1, `\ n`: 1, "a": 2, "an": 1, "ano": 1, "north": 1, "norht": 0,
		"another": 1, "anotherr": 0, strings.Repeat("no", 99): 0, "% — 東": 1,
	} {
		page := model.Page{Limit: 10, Search: search}
		found, err := db.Spaces().SpacesOf(t.Context(), user.ID, model.SpaceFilter{}, page)
		check(t, err)
		if len(found.Nodes) != want || found.TotalCount != want {
			t.Errorf("search for %q: got %d of %d spaces, want %d", search, len(found.Nodes), found.TotalCount, want)
		}
	}
}

func TestSearch_follows_the_texts_of_a_space(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	space := addSpace(t, db, user, "Kitchen")
	title := "Bathroom"
	_, err := db.Spaces().UpdateSpace(t.Context(), model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: &title}})
	check(t, err)
	for search, want := range map[string]int{"kitchen": 0, "bathroom": 1} {
		found, err := db.Spaces().SpacesOf(t.Context(), user.ID, model.SpaceFilter{}, model.Page{Limit: 10, Search: search})
		check(t, err)
		if len(found.Nodes) != want {
			t.Errorf("search for %q: got %d spaces, want %d", search, len(found.Nodes), want)
		}
	}
	_, err = db.Spaces().DeleteSpace(t.Context(), space.ID)
	check(t, err)
	if left := number(t, db, "SELECT count(*) FROM space_texts"); left != 0 {
		t.Errorf("texts of deleted spaces: got %d, want none", left)
	}
}
