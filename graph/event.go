package graph

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"portico/db"
	"portico/model"
)

// Space follows a space that the caller may read, with its entities, until it is deleted
// or the caller may no longer read it.
func (r subscriptionResolver) Space(ctx context.Context, id string) (<-chan model.SpaceEvent, error) {
	if _, err := r.readableSpace(ctx, id); err != nil {
		return nil, err
	}
	changes := r.DB.Watch(ctx, db.SpaceTopic(id))
	return subscribe(ctx, r.Resolver, changes, &spaceFeed{Resolver: r.Resolver, id: id}), nil
}

// spaceFeed is the feed of a space and its entities. On each signal it reads the versions
// of all entities, and then only the rows whose version differs from the reader's: the
// cost of a change depends on its size alone.
type spaceFeed struct {
	*Resolver
	id string
	// space is the state that the reader has; nil before the snapshot.
	space *model.Space
	// entities are the versions that the reader has, by the entities' ids. The reader
	// selects the entities of the snapshot itself, and gets at least these versions.
	entities map[string]string
	// latest are the versions of the last read: entities catches up with them as the
	// reader receives the events.
	latest map[string]string
}

var _ feed[model.SpaceEvent] = (*spaceFeed)(nil)

func (f *spaceFeed) read(ctx context.Context) ([]model.SpaceEvent, bool, error) {
	versions, err := f.DB.EntityVersions(ctx, f.id)
	if err != nil {
		return nil, false, err
	}
	changed, more, err := f.changed(ctx, versions)
	if err != nil {
		return nil, false, err
	}
	// The space is read last: a caller who lost access never gets what was added to the
	// space afterwards, because this read notices it.
	space, err := f.readableSpace(ctx, f.id)
	switch code := model.CodeOf(err); {
	case code == model.CodeNotFound:
		return []model.SpaceEvent{&model.SpaceDeleted{SpaceID: f.id}}, false, nil
	case code == model.CodeForbidden:
		return []model.SpaceEvent{&model.AccessLost{SpaceID: f.id}}, false, nil
	case err != nil:
		return nil, false, err
	case f.space == nil:
		return []model.SpaceEvent{&model.SpaceSnapshot{Space: space}}, false, nil
	}
	return f.events(space, changed), more, nil
}

// changed reads up to feedBatch entities whose version differs from the reader's; more
// reports whether there are others. Before the snapshot only the versions are needed.
func (f *spaceFeed) changed(ctx context.Context, versions []db.EntityVersion) (changed []db.VersionedEntity, more bool, err error) {
	f.latest = make(map[string]string, len(versions))
	var ids []string
	for _, entity := range versions {
		f.latest[entity.EntityID] = entity.Version
		if f.entities[entity.EntityID] != entity.Version {
			ids = append(ids, entity.EntityID)
		}
	}
	if f.space == nil || len(ids) == 0 {
		return nil, false, nil
	}
	more = len(ids) > feedBatch
	changed, err = f.DB.VersionedEntities(ctx, f.id, ids[:min(len(ids), feedBatch)], feedBytes)
	size := 0
	for _, entity := range changed { // which may be newer than versions
		f.latest[entity.EntityID] = entity.Version
		size += len(entity.Data) + len(entity.State)
	}
	return changed, more || size >= feedBytes, err
}

// events returns what the reader does not have: the space, the deleted entities, then the
// other entities in the order of their creation.
func (f *spaceFeed) events(space *model.Space, changed []db.VersionedEntity) []model.SpaceEvent {
	var events []model.SpaceEvent
	if !equalExceptVisits(*f.space, *space) {
		events = append(events, &model.SpaceChanged{Space: space})
	}
	for _, id := range slices.Sorted(maps.Keys(f.entities)) {
		if _, ok := f.latest[id]; !ok {
			events = append(events, &model.EntityDeleted{Space: space, EntityID: id})
		}
	}
	for i := range changed {
		entity := &changed[i].Entity
		var event model.SpaceEvent = &model.EntityCreated{Space: space, Entity: entity}
		if _, ok := f.entities[entity.EntityID]; ok {
			event = &model.EntityChanged{Space: space, Entity: entity}
		}
		events = append(events, event)
	}
	return events
}

// equalExceptVisits reports whether two states are equal except for the visits: each
// visit would be sent to all other visitors.
func equalExceptVisits(a, b model.Space) bool {
	a.VisitCount, b.VisitCount = 0, 0
	return reflect.DeepEqual(a, b)
}

func (f *spaceFeed) delivered(event model.SpaceEvent) bool {
	switch event := event.(type) {
	case *model.SpaceSnapshot:
		f.space, f.entities = event.Space, f.latest
	case *model.SpaceChanged:
		f.space = event.Space
	case *model.EntityDeleted:
		delete(f.entities, event.EntityID)
	case *model.EntityCreated:
		f.entities[event.Entity.EntityID] = f.latest[event.Entity.EntityID]
	case *model.EntityChanged:
		f.entities[event.Entity.EntityID] = f.latest[event.Entity.EntityID]
	case *model.SpaceDeleted, *model.AccessLost:
		return true
	}
	return false
}
