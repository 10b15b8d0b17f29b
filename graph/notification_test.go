package graph_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"portico/model"
)

// notifiedSpaces returns the spaces of the account's notifications, newest first.
func (w *world) notifiedSpaces(who account) (spaces []string) {
	w.t.Helper()
	page, err := w.Notifications(who.ctx, pageOf(nil, nil))
	check(w.t, err)
	for _, notification := range page.Nodes {
		equal(w.t, "type", notification.Type, model.SpacePublished)
		spaces = append(spaces, notification.SpaceID)
	}
	return spaces
}

func (w *world) follow(who, whom account) {
	w.t.Helper()
	_, err := w.Mutation().FollowUser(who.ctx, whom.id)
	check(w.t, err)
}

// A row for each change, with the number of notifications after it.
func TestInformFollowers_notifies_once_per_change_to_Public(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.follow(w.bob, w.alice)
	space := w.space(w.alice, model.SpaceInfinite)
	for i, step := range []struct {
		privacy model.Privacy
		inform  bool
		want    int
	}{
		{model.Private, true, 0},
		{model.LinkOnly, true, 0},
		{model.Public, true, 1},
		{model.Public, true, 1}, // it was Public before
		{model.Private, true, 1},
		{model.Public, false, 1},
		{model.Public, true, 1}, // too late to inform
		{model.LinkOnly, false, 1},
		{model.Public, true, 2},
	} {
		check(t, w.set(space, step.privacy, step.inform))
		equal(t, "privacy", w.mustSpace(space).Privacy, step.privacy)
		if got := len(w.notifiedSpaces(w.bob)); got != step.want {
			t.Errorf("notifications after step %d: got %d, want %d", i, got, step.want)
		}
	}
	equal(t, "notifications of the owner", len(w.notifiedSpaces(w.alice)), 0)
	t.Run("not for a change that is refused", func(t *testing.T) {
		check(t, w.set(space, model.Private, false))
		for _, in := range []model.UpdateSpacePrivacy{
			{SpaceID: space.ID, Privacy: model.Public, InformFollowers: true},
			{SpaceID: "unknown", Privacy: model.Public, InformFollowers: true},
		} {
			if _, err := w.Mutation().UpdateSpacePrivacy(w.bob.ctx, in); err == nil {
				t.Errorf("%+v: got no error, want one", in)
			}
		}
		checkError(t, w.set(space, "Secret", true), model.CodeInvalid, model.PrivacyInvalid)
		equal(t, "notifications", len(w.notifiedSpaces(w.bob)), 2)
	})
	t.Run("not for other ways to make it Public", func(t *testing.T) {
		_, err := w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: space.ID, Privacy: ptr(model.Public)})
		check(t, err)
		equal(t, "notifications", len(w.notifiedSpaces(w.bob)), 2)
	})
}

func TestInformFollowers_by_concurrent_requests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.follow(w.bob, w.alice)
	space := w.space(w.alice, model.SpaceInfinite)
	for _, err := range atOnce(10, func() error { return w.set(space, model.Public, true) }) {
		check(t, err)
	}
	equal(t, "notifications after 10 requests at once", len(w.notifiedSpaces(w.bob)), 1)
}

func TestNotifications_show_only_spaces_that_the_caller_may_read(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.follow(w.bob, w.alice)
	first, second := w.space(w.alice, model.SpaceInfinite), w.space(w.alice, model.SpaceInfinite)
	check(t, w.set(first, model.Public, true))
	check(t, w.set(second, model.Public, true))
	if got, want := w.notifiedSpaces(w.bob), []string{second.ID, first.ID}; !slices.Equal(got, want) {
		t.Errorf("notifications: got %v, want %v", got, want)
	}
	shown := func(want ...string) {
		t.Helper()
		page, err := w.Notifications(w.bob.ctx, pageOf(nil, nil))
		check(t, err)
		var got []string
		for _, notification := range page.Nodes {
			if notification.Space == nil {
				got = append(got, "")
				continue
			}
			got = append(got, notification.Space.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("spaces: got %v, want %v", got, want)
		}
	}
	shown(second.ID, first.ID)
	check(t, w.set(second, model.LinkOnly, false)) // everybody with the link may read it
	shown(second.ID, first.ID)
	check(t, w.set(second, model.Private, false))
	shown("", first.ID)
	equal(t, "visits", w.mustSpace(first).VisitCount, 0)
	_, err := w.Mutation().DeleteSpace(w.alice.ctx, first.ID)
	check(t, err)
	shown("") // its space is deleted
	const query = `{ notifications { totalCount nodes { type space { id } } edges { node { id } } } }`
	_, response := w.ask(w.bob, request(query, nil))
	if got := read(t, response); len(got.Errors) > 0 {
		t.Errorf("over the wire: got %s, want no errors", response)
	}
}

// listen follows bob's notifications, from the position on where there is one.
func (w *world) listen(ctx context.Context, after *string) <-chan *model.Notification {
	w.t.Helper()
	feed, err := w.Resolver.Subscription().Notifications(model.WithCaller(ctx, &model.Caller{UserID: w.bob.id}), after)
	check(w.t, err)
	return feed
}

// published creates a Public space of alice, and returns its id.
func (w *world) published() string {
	w.t.Helper()
	space := w.space(w.alice, model.SpaceInfinite)
	check(w.t, w.set(space, model.Public, true))
	return space.ID
}

// next receives this many notifications, and returns their spaces and the position after the last
// one.
func next(t *testing.T, feed <-chan *model.Notification, count int) (spaces []string, position string) {
	t.Helper()
	for range count {
		notification, open := receive(t, feed)
		if !open {
			t.Fatalf("got the end after %v, want %d notifications", spaces, count)
		}
		spaces, position = append(spaces, notification.SpaceID), notification.Position()
	}
	return spaces, position
}

func TestWatchNotifications_sends_all_in_order(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.follow(w.bob, w.alice)
	before := w.published()
	feed := w.listen(t.Context(), nil)
	want := []string{w.published()}
	got, position := next(t, feed, 1)
	if slices.Contains(got, before) || !slices.Equal(got, want) {
		t.Errorf("first: got %v, want %v, without what came before", got, want)
	}
	t.Run("sends all to a slow reader, in order", func(t *testing.T) {
		want := []string{w.published(), w.published(), w.published()}
		got, _ := next(t, feed, 3)
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		t.Run("and again to one who goes on at a position", func(t *testing.T) {
			got, _ := next(t, w.listen(t.Context(), &position), 3)
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	})
	t.Run("loses none with the connection for announcements", func(t *testing.T) {
		w.cutListener()
		want := []string{w.published(), w.published()}
		got, _ := next(t, feed, 2)
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("shows the space", func(t *testing.T) {
		id := w.published()
		notification, _ := receive(t, feed)
		if notification.Space == nil || notification.Space.ID != id {
			t.Errorf("space: got %v, want %s", notification.Space, id)
		}
	})
	t.Run("refuses an invalid position", func(t *testing.T) {
		_, err := w.Resolver.Subscription().Notifications(w.bob.ctx, ptr("x"))
		checkError(t, err, model.CodeInvalid, "after is not a position of this server")
	})
}

// TestWatchNotifications_of_many publishes concurrently while the reader connects again and again.
func TestWatchNotifications_of_many(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	w.follow(w.bob, w.alice)
	const count = 20
	var want []string
	spaces := make(chan *model.Space, count)
	for range count {
		space := w.space(w.alice, model.SpaceInfinite)
		want = append(want, space.ID)
		spaces <- space
	}
	ctx, leave := context.WithCancel(t.Context())
	feed := w.listen(ctx, nil)
	done := make(chan []error, 1)
	go func() {
		done <- atOnce(count, func() error { return w.set(<-spaces, model.Public, true) })
	}()
	got, position := next(t, feed, count/2)
	leave()
	drain(t, feed)
	more, _ := next(t, w.listen(t.Context(), &position), count/2)
	for _, err := range receiveOnce(t, done) {
		check(t, err)
	}
	if got = append(got, more...); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Errorf("notifications: got %v, want each of %v once", got, want)
	}
}

// receiveOnce is receive for what is sent once and not closed.
func receiveOnce[T any](t testing.TB, from <-chan T) T {
	t.Helper()
	value, _ := receive(t, from)
	return value
}

// A reader that resumes at a position gets the notifications that it has missed, whatever others
// have received, and then the same notifications as the others.
func TestWatchNotifications_resumes_beside_others(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	w.follow(w.bob, w.alice)
	first := w.listen(t.Context(), nil)
	w.published()
	_, position := next(t, first, 1)
	var want []string
	for range 3 {
		want = append(want, w.published())
	}
	missed, _ := next(t, first, 3)
	late, resumed := w.listen(t.Context(), nil), w.listen(t.Context(), &position)
	got, _ := next(t, resumed, 3)
	equal(t, "the first reader's", strings.Join(missed, " "), strings.Join(want, " "))
	equal(t, "those that the other missed", strings.Join(got, " "), strings.Join(want, " "))
	last := w.published()
	for name, feed := range map[string]<-chan *model.Notification{"first": first, "resumed": resumed, "late": late} {
		if got, _ := next(t, feed, 1); got[0] != last {
			t.Errorf("%s: got %s, want %s", name, got[0], last)
		}
	}
}
