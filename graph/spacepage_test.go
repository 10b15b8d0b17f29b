package graph_test

import (
	"testing"

	"portico/model"
)

// A row for each privacy: what a stranger and another account get.
func TestSpacePage_is_shown_to_those_who_may_read_the_space(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		privacy         model.Privacy
		stranger, other model.Code
	}{
		{model.Public, "", ""}, {model.LinkOnly, "", ""}, {model.Private, model.CodeUnauthenticated, model.CodeForbidden},
	} {
		t.Run(string(test.privacy), func(t *testing.T) {
			t.Parallel()
			space := w.open(w.alice, test.privacy)
			_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("chair"), Data: model.Object(`{"title":"A chair"}`)})
			check(t, err)
			_, err = w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("ghost"), Data: model.Object(`{"hidden":true}`)})
			check(t, err)
			_, err = w.Query().SpacePage(t.Context(), space.ID)
			checkError(t, err, test.stranger, "")
			_, err = w.Query().SpacePage(w.bob.ctx, space.ID)
			checkError(t, err, test.other, "")
			page, err := w.Query().SpacePage(w.alice.ctx, space.ID)
			check(t, err)
			equal(t, "owner", page.OwnerName, "alice")
			equal(t, "items", len(page.Items), 1)
			equal(t, "item", page.Items[0].Title, "A chair")
			equal(t, "visits", w.mustSpace(space).VisitCount, 0)
		})
	}
	for _, id := range []string{"unknown", "\x00", ""} {
		_, err := w.Query().SpacePage(t.Context(), id)
		checkError(t, err, model.CodeNotFound, model.SpaceNotFound)
	}
}

func TestGallery_reads_lists_without_a_caller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	public := w.open(w.alice, model.Public)
	w.open(w.alice, model.LinkOnly)
	w.open(w.alice, model.Private)
	gallery, err := w.Query().Gallery(t.Context(), pageOf(nil, nil))
	check(t, err)
	equal(t, "spaces", len(gallery.Spaces.Nodes), 1)
	equal(t, "space", gallery.Spaces.Nodes[0].ID, public.ID)
	equal(t, "owner", gallery.Cards[public.ID].OwnerName, "alice")
	equal(t, "poster", gallery.Cards[public.ID].Poster, "")
	for _, who := range []account{{ctx: t.Context()}, w.bob} {
		profile, spaces, err := w.Query().ProfilePage(who.ctx, w.alice.id, pageOf(nil, nil))
		check(t, err)
		equal(t, "name", profile.Name, "alice")
		equal(t, "followed", profile.Followed, false)
		equal(t, "spaces of the person", len(spaces.Spaces.Nodes), 1)
	}
	_, err = w.Mutation().FollowUser(w.bob.ctx, w.alice.id)
	check(t, err)
	profile, _, err := w.Query().ProfilePage(w.bob.ctx, w.alice.id, pageOf(nil, nil))
	check(t, err)
	equal(t, "followed", profile.Followed, true)
	for _, id := range []string{"99999999", "\x00"} {
		_, _, err := w.Query().ProfilePage(t.Context(), id, pageOf(nil, nil))
		checkError(t, err, model.CodeNotFound, model.UserNotFound)
	}
}
