package graph_test

import (
	"fmt"
	"testing"

	"portico/model"
)

func (w *world) set(space *model.Space, privacy model.Privacy, inform bool) error {
	_, err := w.Mutation().UpdateSpacePrivacy(w.as(space.OwnerID), model.UpdateSpacePrivacy{
		SpaceID: space.ID, Privacy: privacy, InformFollowers: inform,
	})
	return err
}

// open returns a new space of the account with the privacy.
func (w *world) open(who account, privacy model.Privacy) *model.Space {
	w.t.Helper()
	space := w.space(who, model.SpaceInfinite)
	// Beside the rules of plans: an account that was Pro keeps its Link Only spaces.
	w.exec("UPDATE spaces SET privacy = $1 WHERE id = $2", string(privacy), space.ID)
	return space
}

func TestFollowUser_can_be_repeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, step := range []struct {
		change func() (*model.Profile, error)
		want   bool
	}{
		{func() (*model.Profile, error) { return w.Query().User(w.bob.ctx, w.alice.id) }, false},
		{func() (*model.Profile, error) { return w.Mutation().UnfollowUser(w.bob.ctx, w.alice.id) }, false},
		{func() (*model.Profile, error) { return w.Mutation().FollowUser(w.bob.ctx, w.alice.id) }, true},
		{func() (*model.Profile, error) { return w.Mutation().FollowUser(w.bob.ctx, w.alice.id) }, true},
		{func() (*model.Profile, error) { return w.Query().User(w.bob.ctx, w.alice.id) }, true},
		{func() (*model.Profile, error) { return w.Query().User(w.alice.ctx, w.bob.id) }, false},
		{func() (*model.Profile, error) { return w.Mutation().UnfollowUser(w.bob.ctx, w.alice.id) }, false},
		{func() (*model.Profile, error) { return w.Query().User(w.bob.ctx, w.alice.id) }, false},
	} {
		got, err := step.change()
		check(t, err)
		want := model.Profile{ID: w.alice.id, Name: "alice", Followed: step.want}
		if got.ID == w.bob.id { // the other way round, nothing ever changes
			want = model.Profile{ID: w.bob.id, Name: "bob"}
		}
		if *got != want {
			t.Errorf("step %d: got %+v, want %+v", i, *got, want)
		}
	}
}

func TestFollowUser_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.Mutation().FollowUser(w.bob.ctx, w.bob.id)
	checkError(t, err, model.CodeInvalid, "id: you cannot follow yourself")
	for _, id := range []string{"", "00000000", "a\x00b", "a\xffb"} {
		for name, call := range map[string]func() error{
			"user":         func() error { _, err := w.Query().User(w.bob.ctx, id); return err },
			"followUser":   func() error { _, err := w.Mutation().FollowUser(w.bob.ctx, id); return err },
			"unfollowUser": func() error { _, err := w.Mutation().UnfollowUser(w.bob.ctx, id); return err },
		} {
			t.Run(name, func(t *testing.T) {
				checkError(t, call(), model.CodeNotFound, "User not found")
			})
		}
	}
}

// The test checks that the list of an account has its Public spaces only, even for the account
// itself.
func TestUser_lists_only_Public_spaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, _, _, last := w.open(w.alice, model.Public), w.open(w.alice, model.Private), w.open(w.alice, model.LinkOnly), w.open(w.alice, model.Public)
	w.open(w.bob, model.Public)
	for _, who := range []account{w.alice, w.bob} {
		page, err := w.PublicSpacesOf(who.ctx, w.alice.id, pageOf(ptr(1), nil))
		check(t, err)
		equal(t, "total", page.TotalCount, 2)
		equal(t, "newest", page.Nodes[0].ID, last.ID)
		page, err = w.PublicSpacesOf(who.ctx, w.alice.id, pageOf(nil, page.PageInfo.EndCursor))
		check(t, err)
		equal(t, "oldest", page.Nodes[0].ID, first.ID)
		equal(t, "more", page.PageInfo.HasNextPage, false)
	}
	const query = `query($id: ID!) { user(id: $id) { id name followed spaces(first: 1) { nodes { id spaceId } } } }`
	got := w.query(w.bob, query, map[string]any{"id": w.alice.id})
	want := `{"user":{"id":"` + model.NodeID(model.NodeUser, w.alice.id) + `","name":"alice","followed":false,"spaces":{"nodes":[{"id":"` + last.NodeID() + `","spaceId":"` + last.ID + `"}]}}}`
	equal(t, "over the wire", got, want)
}

// The test checks that only the account itself sees both lists, page by page.
func TestFollowers_are_shown_only_to_the_account(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.follow(w.bob, w.alice)
	const people = `pageInfo { hasNextPage } totalCount nodes { userId followed }`
	const lists = `{ viewer { followers { ` + people + ` } following(first: 1) { ` + people + ` } } }`
	none := `{"pageInfo":{"hasNextPage":false},"totalCount":0,"nodes":[]}`
	one := func(id string, followed bool) string {
		return fmt.Sprintf(`{"pageInfo":{"hasNextPage":false},"totalCount":1,"nodes":[{"userId":%q,"followed":%t}]}`, id, followed)
	}
	equal(t, "alice", w.query(w.alice, lists, nil), `{"viewer":{"followers":`+one(w.bob.id, false)+`,"following":`+none+`}}`)
	equal(t, "bob", w.query(w.bob, lists, nil), `{"viewer":{"followers":`+none+`,"following":`+one(w.alice.id, true)+`}}`)
	w.follow(w.alice, w.bob)
	equal(t, "alice follows back", w.query(w.alice, lists, nil), `{"viewer":{"followers":`+one(w.bob.id, true)+`,"following":`+one(w.bob.id, true)+`}}`)
	equal(t, "alice for bob", w.query(w.bob, `{ user(id: "`+w.alice.id+`") { followers { totalCount } following { totalCount } } }`, nil),
		`{"user":{"followers":null,"following":null}}`)
}
