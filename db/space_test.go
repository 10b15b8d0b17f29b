package db

import (
	"fmt"
	"slices"
	"testing"

	"portico/model"
)

func TestUpdateSpace(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	text, public := "new", model.Public
	for _, test := range []struct {
		name string
		in   model.UpdateSpace
		want model.Space
	}{
		{"keeps_what_is_not_set", model.UpdateSpace{}, model.Space{SpaceTexts: model.SpaceTexts{Title: "old"}, Privacy: model.Private, Data: model.Object(`{"a": 1}`)}},
		{"sets_the_title", model.UpdateSpace{SpaceTextInput: model.SpaceTextInput{Title: &text}}, model.Space{SpaceTexts: model.SpaceTexts{Title: "new"}, Privacy: model.Private, Data: model.Object(`{"a": 1}`)}},
		{
			"sets_the_description", model.UpdateSpace{SpaceTextInput: model.SpaceTextInput{Description: &text}},
			model.Space{SpaceTexts: model.SpaceTexts{Title: "old", Description: "new"}, Privacy: model.Private, Data: model.Object(`{"a": 1}`)},
		},
		{"sets_the_privacy", model.UpdateSpace{Privacy: &public}, model.Space{SpaceTexts: model.SpaceTexts{Title: "old"}, Privacy: model.Public, Data: model.Object(`{"a": 1}`)}},
		{
			"merges_unknown_fields", model.UpdateSpace{Data: model.Object(`{"b":1.10,"a":null}`)},
			model.Space{SpaceTexts: model.SpaceTexts{Title: "old"}, Privacy: model.Private, Data: model.Object(`{"a": null, "b": 1.10}`)},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			title := "old"
			space := model.NewSpace(owner.ID, model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Title: &title}, Data: model.Object(`{"a":1}`)}, nil)
			check(t, db.Spaces().AddSpace(t.Context(), space, []*model.Entity{model.NewEntity(space.ID, "e", "x", nil)}))
			test.in.SpaceID = space.ID
			got, err := db.Spaces().UpdateSpace(t.Context(), test.in)
			check(t, err)
			if got.Title != test.want.Title || got.Description != test.want.Description ||
				got.Privacy != test.want.Privacy || string(got.Data) != string(test.want.Data) {
				t.Errorf("space: got %+v, want %+v", got, test.want)
			}
			if got.ID != space.ID || got.OwnerID != owner.ID || got.CreatedAt != space.CreatedAt || !got.ChangedAt.After(space.ChangedAt.Time) {
				t.Errorf("the rest: got %+v, want the rest of %+v, and a later change", got, space)
			}
		})
	}
}

func TestDeleteSpace_deletes_its_entities(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	gone, kept := addSpace(t, db, owner, "gone"), addSpace(t, db, owner, "kept")
	for i, want := range []bool{true, false} {
		got, err := db.Spaces().DeleteSpace(t.Context(), gone.ID)
		check(t, err)
		if got != want {
			t.Errorf("DeleteSpace %d: got %v, want %v", i, got, want)
		}
	}
	for _, space := range []*model.Space{gone, kept} {
		if got, want := storedEntity(t, db, space.ID, model.RoomInfoID) != nil, space == kept; got != want {
			t.Errorf("RoomInfo of %s: got %v, want %v", space.Title, got, want)
		}
	}
}

func TestAddSpace_stores_all_or_nothing(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := model.NewSpace(addUser(t, db).ID, model.CreateSpace{}, nil)
	twice := model.NewEntity(space.ID, "e", "x", nil)
	if err := db.Spaces().AddSpace(t.Context(), space, []*model.Entity{twice, twice}); err == nil {
		t.Error("AddSpace with one entity twice: got no error, want one")
	}
	_, err := db.Spaces().Space(t.Context(), space.ID)
	checkCode(t, err, model.CodeNotFound)
}

func TestSpaceForUpdate_keeps_others_from_changing_it(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	space := addSpace(t, db, addUser(t, db), "here")
	private, public := model.Private, model.Public
	set := func(db *DB, privacy *model.Privacy) error {
		_, err := db.Spaces().UpdateSpace(ctx, model.UpdateSpace{SpaceID: space.ID, Privacy: privacy})
		return err
	}
	other := make(chan error, 1)
	check(t, db.InTx(ctx, func(tx *DB) error {
		before, err := tx.Spaces().SpaceForUpdate(ctx, space.ID)
		check(t, err)
		go func() { other <- set(db, &private) }()
		check(t, set(tx, &public))
		again, err := tx.Spaces().Space(ctx, space.ID)
		check(t, err)
		if before.Privacy != private || again.Privacy != public {
			t.Errorf("privacy: got %s and then %s, want %s and %s", before.Privacy, again.Privacy, private, public)
		}
		return nil
	}))
	check(t, receive(t, other, "the other change"))
	last, err := db.Spaces().Space(ctx, space.ID)
	check(t, err)
	if got, want := last.Privacy, private; got != want {
		t.Errorf("privacy at the end: got %s, want %s, from the last change", got, want)
	}
	_, err = db.Spaces().SpaceForUpdate(ctx, "unknown")
	checkCode(t, err, model.CodeNotFound)
}

func TestPublicSpaces_lists_Public_spaces_only(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	ada, bea := addUser(t, db), addUser(t, db)
	ids := []string{"unknown"}
	for i, privacy := range []model.Privacy{model.Public, model.Private, model.LinkOnly, model.Public} {
		for _, owner := range []*model.User{ada, bea} {
			space := addSpace(t, db, owner, fmt.Sprintf("%s %d", privacy, i))
			_, err := db.Spaces().UpdateSpace(ctx, model.UpdateSpace{SpaceID: space.ID, Privacy: &privacy})
			check(t, err)
			ids = append(ids, space.ID)
		}
	}
	all, err := db.Spaces().PublicSpaces(ctx, model.SpaceFilter{}, page(t, 10, nil))
	check(t, err)
	if got, want := titles(all), []string{"Public 3", "Public 3", "Public 0", "Public 0"}; !slices.Equal(got, want) {
		t.Errorf("everybody's: got %v, want %v", got, want)
	}
	each, err := db.Spaces().PublicSpacesOf(ctx, []string{ada.ID}, page(t, 10, nil))
	check(t, err)
	hers := each[ada.ID]
	if got, want := titles(hers), []string{"Public 3", "Public 0"}; !slices.Equal(got, want) || hers.TotalCount != 2 {
		t.Errorf("one owner's: got %v of %d, want %v of 2", got, hers.TotalCount, want)
	}
	found, err := db.Spaces().PublicSpaces(ctx, model.SpaceFilter{}, model.Page{Limit: 10, Search: "3"})
	check(t, err)
	if got, want := titles(found), []string{"Public 3", "Public 3"}; !slices.Equal(got, want) {
		t.Errorf("found: got %v, want %v", got, want)
	}
	byID, err := db.Spaces().SpacesByID(ctx, append(ids, ids...))
	check(t, err)
	if got, want := len(byID), len(ids)-1; got != want {
		t.Errorf("by their ids: got %d, want %d", got, want)
	}
}
