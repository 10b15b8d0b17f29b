package model

// SpaceEventType says what happened to a space that somebody watches.
type SpaceEventType string

// The types of space events. The first event is a snapshot, and the deletion of
// the space is the last.
const (
	SpaceSnapshot SpaceEventType = "snapshot"
	SpaceChanged  SpaceEventType = "space-changed"
	SpaceDeleted  SpaceEventType = "space-deleted"
	EntityCreated SpaceEventType = "entity-created"
	EntityChanged SpaceEventType = "entity-changed"
	EntityDeleted SpaceEventType = "entity-deleted"
)

// SpaceEvent is one thing that happened to a space or to an entity in it.
type SpaceEvent struct {
	Type SpaceEventType
	// Space is the space as it is now; nil when it was deleted.
	Space *Space
	// Entity is the entity as it is now; nil unless it was created or changed.
	Entity *Entity
	// EntityID names the entity; nil when the event is of the space itself.
	EntityID *string
}
