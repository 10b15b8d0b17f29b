package graph

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"portico/db"
	"portico/model"
)

// Space follows a space that the caller may read, with its entities, until it is
// deleted or the caller may not read it any more.
func (r subscriptionResolver) Space(ctx context.Context, id string) (<-chan *model.SpaceEvent, error) {
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
	// entities are the versions that the reader has, by the entities' ids. It
	// asks for those of the snapshot itself, which are at least as new.
	entities map[string]string
	// latest are the versions that were read last: entities becomes that as the
	// reader takes the events.
	latest map[string]string
}

var _ feed[*model.SpaceEvent] = (*spaceFeed)(nil)

func (f *spaceFeed) read(ctx context.Context) ([]*model.SpaceEvent, bool, error) {
	versions, err := f.DB.EntityVersions(ctx, f.id)
	if err != nil {
		return nil, false, err
	}
	changed, more, err := f.changed(ctx, versions)
	if err != nil {
		return nil, false, err
	}
	// Read last: what was put into a space after it was closed to the caller is
	// never shown, because the space is then seen to be closed.
	space, err := f.readableSpace(ctx, f.id)
	if model.CodeOf(err) == model.CodeNotFound {
		return []*model.SpaceEvent{{Type: model.SpaceDeleted}}, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if f.space == nil {
		return []*model.SpaceEvent{{Type: model.SpaceSnapshot, Space: space}}, false, nil
	}
	return f.events(space, changed), more, nil
}

// changed reads the entities that the reader does not have in their version, up
// to feedBatch of them; more says that there are others. Before the snapshot the
// reader has nothing, and needs nothing but the versions.
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
	for _, entity := range changed { // which may be newer by now
		f.latest[entity.EntityID] = entity.Version
		size += len(entity.Data) + len(entity.State)
	}
	return changed, more || size >= feedBytes, err
}

// events lists what is new to the reader: the space, what is gone, then the
// entities in the order of their creation.
func (f *spaceFeed) events(space *model.Space, changed []db.VersionedEntity) []*model.SpaceEvent {
	var events []*model.SpaceEvent
	if !sameSpace(*f.space, *space) {
		events = append(events, &model.SpaceEvent{Type: model.SpaceChanged, Space: space})
	}
	for _, id := range slices.Sorted(maps.Keys(f.entities)) {
		if _, ok := f.latest[id]; !ok {
			events = append(events, &model.SpaceEvent{Type: model.EntityDeleted, Space: space, EntityID: &id})
		}
	}
	for i := range changed {
		entity := &changed[i].Entity
		event := &model.SpaceEvent{Type: model.EntityCreated, Space: space, Entity: entity, EntityID: &entity.EntityID}
		if _, ok := f.entities[entity.EntityID]; ok {
			event.Type = model.EntityChanged
		}
		events = append(events, event)
	}
	return events
}

// sameSpace reports whether two states are equal. A visit does not count as a change: each
// visit would be sent to all other visitors.
func sameSpace(a, b model.Space) bool {
	a.VisitCount, b.VisitCount = 0, 0
	return reflect.DeepEqual(a, b)
}

func (f *spaceFeed) delivered(event *model.SpaceEvent) bool {
	switch event.Type {
	case model.SpaceSnapshot:
		f.space, f.entities = event.Space, f.latest
	case model.SpaceChanged:
		f.space = event.Space
	case model.EntityDeleted:
		delete(f.entities, *event.EntityID)
	case model.EntityCreated, model.EntityChanged:
		f.entities[*event.EntityID] = f.latest[*event.EntityID]
	case model.SpaceDeleted:
		return true
	}
	return false
}
