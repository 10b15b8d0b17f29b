package graph_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"portico/model"
)

// presencePatience is how long a test waits for an event.
const presencePatience = time.Minute

// presenceOf is a visitor of a space.
type presenceOf struct {
	t      *testing.T
	w      *world
	space  string
	events <-chan model.PresenceEvent
	leave  context.CancelFunc
	joined *model.PresenceJoined
}

// enter subscribes to the presence of a space.
func (w *world) enter(ctx context.Context, t *testing.T, space *model.Space, name string) *presenceOf {
	t.Helper()
	ctx, leave := context.WithCancel(ctx)
	t.Cleanup(leave)
	in := model.JoinSpace{SpaceID: space.ID}
	if name != "" {
		in.Name = &name
	}
	events, err := w.Subscription().SpacePresence(ctx, in)
	check(t, err)
	return &presenceOf{t: t, w: w, space: space.ID, events: events, leave: leave}
}

// join is enter that must join.
func (w *world) join(ctx context.Context, t *testing.T, space *model.Space, name string) *presenceOf {
	t.Helper()
	p := w.enter(ctx, t, space, name)
	p.joined = awaitEvent[*model.PresenceJoined](p)
	return p
}

// awaitEvent returns the next event, which must have the type.
func awaitEvent[E model.PresenceEvent](p *presenceOf) E {
	p.t.Helper()
	select {
	case event := <-p.events:
		typed, ok := event.(E)
		if !ok {
			p.t.Fatalf("event: got %#v, want a %T", event, typed)
		}
		return typed
	case <-time.After(presencePatience):
		p.t.Fatalf("got no event within %v", presencePatience)
	}
	panic("not reached")
}

// ended waits for the end, with this reason.
func (p *presenceOf) ended(want model.PresenceEnd) {
	p.t.Helper()
	timeout := time.After(presencePatience)
	for {
		select {
		case event, open := <-p.events:
			if !open {
				p.t.Fatalf("events: got their end, want %s first", want)
			}
			if end, ok := event.(*model.PresenceEnded); ok {
				equal(p.t, "reason", end.Reason, want)
				if end.Message == "" {
					p.t.Error("message: got none, want the reason in words")
				}
				return
			}
		case <-timeout:
			p.t.Fatalf("got no end within %v", presencePatience)
		}
	}
}

// until waits for changes that have what the test wants.
func (p *presenceOf) until(has func(*model.PresenceChanged) bool) {
	p.t.Helper()
	for !has(awaitEvent[*model.PresenceChanged](p)) {
	}
}

// move moves the visitor along x.
func (p *presenceOf) move(x float64) error {
	return p.w.Mutation().MoveInSpace(p.t.Context(), model.MoveInSpace{
		SpaceID: p.space, VisitorID: p.joined.VisitorID, Ticket: p.joined.Ticket,
		Pose: model.Pose{Position: []float64{x, 1.6, 0}, Yaw: 90},
	})
}

func TestSpacePresence_shows_visitors_to_each_other(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	owner := w.join(w.alice.ctx, t, space, "Alice")
	equal(t, "visitors at first", len(owner.joined.Visitors), 1)
	stranger := w.join(t.Context(), t, space, " Bob\u202e ")
	equal(t, "visitors with the stranger", len(stranger.joined.Visitors), 2)
	for _, visitor := range stranger.joined.Visitors {
		equal(t, "owner", visitor.IsOwner, visitor.ID == owner.joined.VisitorID)
	}
	id := stranger.joined.VisitorID
	owner.until(func(c *model.PresenceChanged) bool {
		return slices.ContainsFunc(c.Joined, func(v *model.Visitor) bool { return v.ID == id && *v.Name == "Bob" && v.Position == nil })
	})
	check(t, stranger.move(2.5))
	owner.until(func(c *model.PresenceChanged) bool {
		return slices.ContainsFunc(c.Moved, func(m *model.VisitorMove) bool {
			return m.ID == id && slices.Equal(m.Position, []float64{2.5, 1.6, 0}) && m.Yaw == 90
		})
	})
	guest := w.join(t.Context(), t, space, "")
	guest.t.Logf("the guest sees %d visitors", len(guest.joined.Visitors))
	if !slices.ContainsFunc(guest.joined.Visitors, func(v *model.Visitor) bool { return v.ID == id && v.Position[0] == 2.5 }) {
		t.Error("snapshot: got no stranger at 2.5, want one")
	}
	stranger.leave()
	owner.until(func(c *model.PresenceChanged) bool { return slices.Contains(c.Left, id) })
	checkError(t, stranger.move(3), model.CodeNotFound, "")
}

// A stay ends when the visitor may no longer be in the space.
func TestSpacePresence_ends_with_the_right_to_be_there(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	setPresence := func(space *model.Space, on bool) {
		t.Helper()
		updated, err := w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: space.ID, Presence: &on})
		check(t, err)
		equal(t, "presence", updated.Presence(), on)
	}
	t.Run("in a space that becomes private", func(t *testing.T) {
		t.Parallel()
		space := w.open(w.alice, model.LinkOnly)
		owner, account, stranger := w.join(w.alice.ctx, t, space, ""), w.join(w.bob.ctx, t, space, ""), w.join(t.Context(), t, space, "")
		check(t, w.set(space, model.Private, false))
		stranger.ended(model.PresenceAccessLost)
		account.ended(model.PresenceAccessLost)
		owner.until(func(c *model.PresenceChanged) bool { return slices.Contains(c.Left, stranger.joined.VisitorID) })
		_, err := w.Subscription().SpacePresence(t.Context(), model.JoinSpace{SpaceID: space.ID})
		checkError(t, err, model.CodeUnauthenticated, "")
		_, err = w.Subscription().SpacePresence(w.bob.ctx, model.JoinSpace{SpaceID: space.ID})
		checkError(t, err, model.CodeForbidden, "")
	})
	t.Run("in a space that is deleted", func(t *testing.T) {
		t.Parallel()
		space := w.open(w.alice, model.Public)
		stranger := w.join(t.Context(), t, space, "")
		_, err := w.Mutation().DeleteSpace(w.alice.ctx, space.ID)
		check(t, err)
		stranger.ended(model.PresenceSpaceDeleted)
	})
	t.Run("where the owner switches it off", func(t *testing.T) {
		t.Parallel()
		space := w.open(w.alice, model.Public)
		owner, stranger := w.join(w.alice.ctx, t, space, ""), w.join(t.Context(), t, space, "")
		setPresence(space, false)
		stranger.ended(model.PresenceSwitchedOff)
		owner.ended(model.PresenceSwitchedOff)
		w.enter(t.Context(), t, space, "").ended(model.PresenceSwitchedOff)
		setPresence(space, true)
		w.join(t.Context(), t, space, "")
	})
}

func TestSpacePresence_has_places_for_50(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	var visitors []*presenceOf
	for range model.MaxVisitors {
		visitors = append(visitors, w.join(t.Context(), t, space, ""))
	}
	equal(t, "visitors that the last one sees", len(visitors[model.MaxVisitors-1].joined.Visitors), model.MaxVisitors)
	late := w.enter(t.Context(), t, space, "")
	late.ended(model.PresenceFull)
	if _, open := receive(t, late.events); open {
		t.Error("events: got another one after the end")
	}
	gone := visitors[20].joined.VisitorID
	visitors[20].leave()
	visitors[0].until(func(c *model.PresenceChanged) bool { return slices.Contains(c.Left, gone) })
	w.join(t.Context(), t, space, "")
}

func TestRemoveVisitor_removes_a_visitor_of_the_space_of_the_caller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	bob, stranger := w.join(w.bob.ctx, t, space, "Bob"), w.join(t.Context(), t, space, "")
	in := model.RemoveVisitor{SpaceID: space.ID, VisitorID: bob.joined.VisitorID}
	checkError(t, w.Mutation().RemoveVisitor(t.Context(), in), model.CodeUnauthenticated, "")
	checkError(t, w.Mutation().RemoveVisitor(w.bob.ctx, in), model.CodeForbidden, "")
	check(t, w.Mutation().RemoveVisitor(w.alice.ctx, in))
	bob.ended(model.PresenceRemoved)
	stranger.until(func(c *model.PresenceChanged) bool { return slices.Contains(c.Left, bob.joined.VisitorID) })
	w.enter(w.bob.ctx, t, space, "Bob again").ended(model.PresenceRemoved)
	check(t, w.Mutation().RemoveVisitor(w.alice.ctx, in)) // a second time
	elsewhere := w.open(w.alice, model.Public)
	w.join(w.bob.ctx, t, elsewhere, "")
}
