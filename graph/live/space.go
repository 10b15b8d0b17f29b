package live

import (
	"context"
	"reflect"

	"portico/graph/access"
	"portico/model"
)

// Space subscribes to a space that the caller may read, with its entities, until it is deleted
// or the caller may no longer read it. A Public or Link Only space needs no caller.
//
// The access is checked here, and before each event by the subscriber.
func (s *Service) Space(ctx context.Context, id string) (<-chan model.SpaceEvent, error) {
	if events := eventToEncode[model.SpaceEvent](ctx); events != nil {
		return events, nil
	}
	if _, err := s.access.ReadableSpace(ctx, id); err != nil {
		return nil, err
	}
	return eventsOf[model.SpaceEvent](ctx, s.spaces.subscribe(ctx, &s.engine, id, access.ReaderFrom(ctx))), nil
}

// equalExceptVisits reports whether two states are equal except for the number of visits, the time
// of the last change of an entity, and the time of the read. Otherwise each visit would be sent to
// all other visitors. Changes of entities have their own events.
func equalExceptVisits(a, b model.Space) bool {
	a.VisitCount, b.VisitCount = 0, 0
	a.TouchedAt, b.TouchedAt = model.Time{}, model.Time{}
	a.ReadAt, b.ReadAt = model.Time{}, model.Time{}
	return reflect.DeepEqual(a, b)
}
