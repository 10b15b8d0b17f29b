package graph_test

import (
	"testing"

	"portico/graph/access"
	"portico/model"
)

// A row for each privacy, with the error of a read.
func TestVisitor_may_read_but_not_change_the_space_of_another(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		privacy model.Privacy
		code    model.Code // of reading
	}{{model.Public, ""}, {model.LinkOnly, ""}, {model.Private, model.CodeForbidden}} {
		t.Run(string(test.privacy), func(t *testing.T) {
			t.Parallel()
			space := w.open(w.alice, test.privacy)
			_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("chair")})
			check(t, err)
			got, err := w.Mutation().VisitSpace(w.bob.ctx, space.ID)
			checkError(t, err, test.code, access.SpaceForbidden)
			if err == nil {
				page, err := w.entitiesIn(w.bob.ctx, got, pageOf(nil, nil))
				check(t, err)
				equal(t, "entities", page.TotalCount, 1)
			}
			calls := operations(w, space.ID, "chair", "", "", "")
			checkError(t, calls["watchSpace"](w.bob.ctx), test.code, access.SpaceForbidden)
			for _, name := range []string{"entity", "ownedEntities", "updateSpace", "deleteSpace", "createEntity", "updateEntity", "deleteEntity"} {
				checkError(t, calls[name](w.bob.ctx), model.CodeForbidden, access.SpaceForbidden)
			}
			checkError(t, calls["updateSpacePrivacy"](w.bob.ctx), model.CodeForbidden, model.PrivacyForbidden)
			for _, name := range []string{"space", "watchSpace", "entity", "ownedEntities"} {
				check(t, calls[name](w.alice.ctx))
			}
			equal(t, "privacy", w.mustSpace(space).Privacy, test.privacy)
		})
	}
}

func TestVisitCount_counts_visitors_and_not_the_owner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	visits := func(what string, want int64) {
		t.Helper()
		got := w.mustSpace(space)
		equal(t, "visits after "+what, got.VisitCount, want)
		equal(t, "changed at after "+what, got.ChangedAt, space.ChangedAt)
	}
	_, err := w.Mutation().VisitSpace(w.alice.ctx, space.ID)
	check(t, err)
	visits("the owner", 0)
	got, err := w.Mutation().VisitSpace(w.bob.ctx, space.ID)
	check(t, err)
	equal(t, "visits that the visitor sees", got.VisitCount, 1)
	visits("a visitor", 1)
	_, err = w.PublicSpaces(w.bob.ctx, model.SpaceFilter{}, pageOf(nil, nil))
	check(t, err)
	_, err = w.PublicSpacesOf(w.bob.ctx, w.alice.id, pageOf(nil, nil))
	check(t, err)
	_, err = w.Resolver.Subscription().Space(w.bob.ctx, space.ID)
	check(t, err)
	visits("lists and a subscription", 1)
	for _, err := range atOnce(20, func() error {
		_, err := w.Mutation().VisitSpace(w.bob.ctx, space.ID)
		return err
	}) {
		check(t, err)
	}
	visits("the same visitor 20 times", 1)
	visitor := w.account(w.keys, "carol@example.com", model.PlanFree)
	for _, err := range atOnce(20, func() error {
		_, err := w.Mutation().VisitSpace(visitor.ctx, space.ID)
		return err
	}) {
		check(t, err)
	}
	visits("another visitor, 20 times at once", 2)
	check(t, w.set(space, model.Private, false))
	_, err = w.Mutation().VisitSpace(w.bob.ctx, space.ID)
	checkError(t, err, model.CodeForbidden, "")
	equal(t, "visits after one who was refused", w.mustSpace(space).VisitCount, 2)
}

func TestSpaces_lists_Public_spaces_without_a_caller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	alices := w.open(w.alice, model.Public)
	w.open(w.alice, model.Private)
	w.open(w.bob, model.LinkOnly)
	bobs := w.open(w.bob, model.Public)
	_, err := w.Mutation().UpdateSpace(w.bob.ctx, model.UpdateSpace{SpaceID: bobs.ID, SpaceTextInput: model.SpaceTextInput{Title: ptr("A hall")}})
	check(t, err)
	for _, who := range []account{w.alice, w.bob} {
		page, err := w.PublicSpaces(who.ctx, model.SpaceFilter{}, pageOf(ptr(1), nil))
		check(t, err)
		equal(t, "total", page.TotalCount, 2)
		equal(t, "newest", page.Nodes[0].ID, bobs.ID)
		page, err = w.PublicSpaces(who.ctx, model.SpaceFilter{}, pageOf(nil, page.PageInfo.EndCursor))
		check(t, err)
		equal(t, "rest", len(page.Nodes), 1)
		equal(t, "oldest", page.Nodes[0].ID, alices.ID)
		page, err = w.PublicSpaces(who.ctx, model.SpaceFilter{}, model.ConnectionArgs{Search: "HALL"})
		check(t, err)
		equal(t, "found", page.TotalCount, 1)
	}
}
