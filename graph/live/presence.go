package live

import (
	"context"

	"portico/graph/access"
	"portico/graph/presence"
	"portico/model"
)

// SpacePresence joins a space that the caller, or everybody, may read, and subscribes to its
// visitors. The stay ends with ctx, when the caller loses the right to read the space, and when the
// owner switches presence off.
//
// Nothing of it is stored: visitors, their names and places are in the memory of the processes
// (package presence), and gone with them.
func (s *Service) SpacePresence(ctx context.Context, in model.JoinSpace) (<-chan model.PresenceEvent, error) {
	if events := eventToEncode[model.PresenceEvent](ctx); events != nil {
		return events, nil
	}
	space, err := s.access.ReadableSpace(ctx, in.SpaceID)
	if err != nil {
		return nil, err
	}
	name, err := in.VisitorName()
	if err != nil {
		return nil, err
	}
	reader := access.ReaderFrom(ctx)
	guest := presence.Guest{SpaceID: space.ID, Subject: access.Subject(ctx), Name: name, IsOwner: access.Owns(reader.Caller, space)}
	visitor := &presenceSubscriber{rooms: s.rooms, guest: guest, space: s.spaces.subscribe(ctx, &s.engine, space.ID, reader)}
	return eventsOf[model.PresenceEvent](ctx, visitor), nil
}

// presenceSubscriber is one subscription to the visitors of a space. Only one goroutine calls Next.
//
// It watches two things: the room, for what it sends, and the space, for the right to be there. A
// space that turns Private ends the stay with its next event.
type presenceSubscriber struct {
	rooms *presence.Rooms
	guest presence.Guest
	// space has the state of the space. Its events are not read.
	space *subscriber
	stay  *presence.Stay // nil before it has joined
	ended bool
}

// Next implements Source.
func (s *presenceSubscriber) Next(ctx context.Context) *Event {
	select {
	case <-s.space.joined:
	case <-ctx.Done():
		return nil
	}
	for ctx.Err() == nil && !s.ended {
		reason, spaceChanged := s.refusal()
		if reason != "" {
			return s.finish(reason)
		}
		if s.stay == nil {
			return s.join(ctx)
		}
		batch, reason, changed := s.stay.Next()
		switch {
		case reason != "":
			return s.finish(reason)
		case batch != nil:
			shared, _ := batch.Encoded(func() any { return newEvent(batch.Changes) }).(*Event)
			return shared
		}
		select {
		case <-changed:
		case <-spaceChanged:
		case <-s.space.visitEnded:
			s.space.visitEnded = nil
		case <-ctx.Done():
		}
	}
	return nil
}

// refusal returns why the caller may not be in the space; or an empty reason, and a channel
// that is closed when the space changes.
func (s *presenceSubscriber) refusal() (reason model.PresenceEnd, changed <-chan struct{}) {
	b := s.space.broadcaster
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.deleted:
		return model.PresenceSpaceDeleted, nil
	case !access.MayRead(s.space.reader, b.space):
		return model.PresenceAccessLost, nil
	case b.space.PresenceOff:
		return model.PresenceSwitchedOff, nil
	}
	return "", b.changed
}

// join joins the room and returns the first event, or the last one when the room refuses.
//
// The stay is registered for release before its first event is returned, so a reader that never
// comes back leaves when ctx ends.
func (s *presenceSubscriber) join(ctx context.Context) *Event {
	stay, refused := s.rooms.Join(ctx, s.guest)
	if refused != "" {
		return s.finish(refused)
	}
	s.stay = stay
	context.AfterFunc(ctx, stay.Leave)
	return newEvent(stay.Joined())
}

// finish ends the stay and returns the last event.
func (s *presenceSubscriber) finish(reason model.PresenceEnd) *Event {
	s.ended = true
	if s.stay != nil {
		s.stay.Leave()
	}
	return newEvent(model.NewPresenceEnded(reason))
}

// Audience implements Source.
func (s *presenceSubscriber) Audience() string { return s.space.Audience() }
