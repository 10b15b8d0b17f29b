package graph_test

import (
	"testing"

	"portico/model"
)

// The test checks the order of refusals: 404, 403, then 400.
func TestUpdateSpace_checks_404_then_403_then_400(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	alices, bobs := w.space(w.alice, model.SpaceInfinite), w.space(w.bob, model.SpaceInfinite)
	for _, test := range []struct {
		name, space string
		code        model.Code
		message     string
	}{
		{"an unknown space", "unknown", model.CodeNotFound, "Space not found"},
		{"another's space", alices.ID, model.CodeForbidden, ""},
		{"the caller's space", bobs.ID, model.CodeInvalid, "Invalid privacy option"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := w.Mutation().UpdateSpace(w.bob.ctx, model.UpdateSpace{SpaceID: test.space, Privacy: ptr(model.Privacy("wrong"))})
			checkError(t, err, test.code, test.message)
			_, err = w.Mutation().UpdateSpacePrivacy(w.bob.ctx, model.UpdateSpacePrivacy{SpaceID: test.space, Privacy: "wrong"})
			checkError(t, err, test.code, test.message)
			if test.code == model.CodeForbidden {
				equal(t, "text", model.AsError(err).Message, "You are not authorized to update the privacy of this space")
			}
		})
	}
}

// An empty title is replaced as at the creation: with the name of the file that the space shows, if
// there is one.
func TestUpdateSpace_without_a_title(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key, empty := w.file(w.alice, "My cat.glb").ResourceKey, ""
	withFile, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Title: ptr("Old")}, ResourceKey: &key})
	check(t, err)
	bare := w.space(w.alice, model.SpaceHub)
	titleOf := func(id string) string {
		t.Helper()
		space, err := w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: id, SpaceTextInput: model.SpaceTextInput{Title: &empty}})
		check(t, err)
		return space.Title
	}
	equal(t, "title of a space without a file", titleOf(bare.ID), "Untitled space")
	equal(t, "title of a space with a file", titleOf(withFile.ID), "My cat")
	_, err = w.Mutation().DeleteFile(w.alice.ctx, key)
	check(t, err)
	equal(t, "title once the file is gone", titleOf(withFile.ID), "Untitled space")
}

func TestUpdateSpace_changes_only_what_is_sent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{
		SpaceTextInput: model.SpaceTextInput{Title: ptr("Old"), Description: ptr("Kept")}, Data: model.Object(`{"a":1,"b":12345678901234567890}`),
	})
	check(t, err)
	got, err := w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{
		SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: ptr("New")}, Data: model.Object(`{"a":null,"c":1.10}`),
	})
	check(t, err)
	for _, space := range []*model.Space{got, w.mustSpace(space)} {
		equal(t, "title", space.Title, "New")
		equal(t, "description", space.Description, "Kept")
		equal(t, "privacy", space.Privacy, model.Private)
		checkData(t, space.Data, `{"a":null,"b":12345678901234567890,"c":1.10}`)
	}
	if !got.ChangedAt.After(space.ChangedAt.Time) {
		t.Errorf("changed at: got %v, want it after %v", got.ChangedAt, space.ChangedAt)
	}
}
