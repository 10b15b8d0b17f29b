package model

// SpaceEvent is an event of a space that a client watches: one of the types below. The
// first event is a SpaceSnapshot; SpaceDeleted and AccessLost are the last.
type SpaceEvent interface{ IsSpaceEvent() }

// SpaceSnapshot is the current state of the space.
type SpaceSnapshot struct{ Space *Space }

// SpaceChanged reports a change of the space itself.
type SpaceChanged struct{ Space *Space }

// SpaceDeleted reports that the space was deleted.
type SpaceDeleted struct{ SpaceID string }

// AccessLost reports that the watcher may no longer read the space.
type AccessLost struct{ SpaceID string }

// EntityCreated reports a new entity.
type EntityCreated struct {
	Space  *Space
	Entity *Entity
}

// EntityChanged reports a change of an entity.
type EntityChanged struct {
	Space  *Space
	Entity *Entity
}

// EntityDeleted reports that an entity was deleted.
type EntityDeleted struct {
	Space    *Space
	EntityID string // within the space
}

// IsSpaceEvent implements SpaceEvent.
func (*SpaceSnapshot) IsSpaceEvent() {}

// IsSpaceEvent implements SpaceEvent.
func (*SpaceChanged) IsSpaceEvent() {}

// IsSpaceEvent implements SpaceEvent.
func (*SpaceDeleted) IsSpaceEvent() {}

// IsSpaceEvent implements SpaceEvent.
func (*AccessLost) IsSpaceEvent() {}

// IsSpaceEvent implements SpaceEvent.
func (*EntityCreated) IsSpaceEvent() {}

// IsSpaceEvent implements SpaceEvent.
func (*EntityChanged) IsSpaceEvent() {}

// IsSpaceEvent implements SpaceEvent.
func (*EntityDeleted) IsSpaceEvent() {}
