package model

// SpaceEvent is an event of a space that a client watches: one of the types below. The first event
// is a SpaceSnapshot. After SpaceDeleted or AccessLost there are no more events.
type SpaceEvent interface {
	IsSpaceEvent()
	// EventType returns the name of the type in the GraphQL schema.
	EventType() string
}

// SpaceSnapshot is the current state of the space.
type SpaceSnapshot struct{ Space *Space }

// SpaceChanged reports a change of the space's own fields, not of its entities.
type SpaceChanged struct{ Space *Space }

// SpaceDeleted reports that the space was deleted. SpaceID is its id in the database, not the id of
// GraphQL.
type SpaceDeleted struct{ SpaceID string }

// AccessLost reports that the watcher may no longer read the space.
type AccessLost struct{ SpaceID string }

// EntityCreated reports a new entity.
type EntityCreated struct {
	Space  *Space
	Entity *Entity
}

// EntityChanged reports a change of an entity, or of the file that it shows.
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

// EventType implements SpaceEvent.
func (*SpaceSnapshot) EventType() string { return "SpaceSnapshot" }

// IsSpaceEvent implements SpaceEvent.
func (*SpaceChanged) IsSpaceEvent() {}

// EventType implements SpaceEvent.
func (*SpaceChanged) EventType() string { return "SpaceChanged" }

// IsSpaceEvent implements SpaceEvent.
func (*SpaceDeleted) IsSpaceEvent() {}

// EventType implements SpaceEvent.
func (*SpaceDeleted) EventType() string { return "SpaceDeleted" }

// IsSpaceEvent implements SpaceEvent.
func (*AccessLost) IsSpaceEvent() {}

// EventType implements SpaceEvent.
func (*AccessLost) EventType() string { return "AccessLost" }

// IsSpaceEvent implements SpaceEvent.
func (*EntityCreated) IsSpaceEvent() {}

// EventType implements SpaceEvent.
func (*EntityCreated) EventType() string { return "EntityCreated" }

// IsSpaceEvent implements SpaceEvent.
func (*EntityChanged) IsSpaceEvent() {}

// EventType implements SpaceEvent.
func (*EntityChanged) EventType() string { return "EntityChanged" }

// IsSpaceEvent implements SpaceEvent.
func (*EntityDeleted) IsSpaceEvent() {}

// EventType implements SpaceEvent.
func (*EntityDeleted) EventType() string { return "EntityDeleted" }

// ViewerSpaceEvent is an event of the spaces of an account: SpacesSnapshot first, then
// SpaceCreated, SpaceChanged and SpaceDeleted.
type ViewerSpaceEvent interface{ IsViewerSpaceEvent() }

// SpacesSnapshot is the start of a subscription to an account's spaces.
type SpacesSnapshot struct{}

// SpaceCreated reports a new space.
type SpaceCreated struct{ Space *Space }

// IsViewerSpaceEvent implements ViewerSpaceEvent.
func (*SpacesSnapshot) IsViewerSpaceEvent() {}

// IsViewerSpaceEvent implements ViewerSpaceEvent.
func (*SpaceCreated) IsViewerSpaceEvent() {}

// IsViewerSpaceEvent implements ViewerSpaceEvent.
func (*SpaceChanged) IsViewerSpaceEvent() {}

// IsViewerSpaceEvent implements ViewerSpaceEvent.
func (*SpaceDeleted) IsViewerSpaceEvent() {}

// ViewerFileEvent is an event of the files of an account: FilesSnapshot first, then
// FileCreated, FileChanged and FileDeleted.
type ViewerFileEvent interface{ IsViewerFileEvent() }

// FilesSnapshot is the start of a subscription to an account's files.
type FilesSnapshot struct{}

// FileCreated reports a new file.
type FileCreated struct{ File *File }

// FileChanged reports that the facts, the poster, the view, the collision or the start of
// a file changed.
type FileChanged struct{ File *File }

// FileDeleted reports that a file was deleted. Entities that show it keep its address.
type FileDeleted struct{ ResourceKey string }

// IsViewerFileEvent implements ViewerFileEvent.
func (*FilesSnapshot) IsViewerFileEvent() {}

// IsViewerFileEvent implements ViewerFileEvent.
func (*FileCreated) IsViewerFileEvent() {}

// IsViewerFileEvent implements ViewerFileEvent.
func (*FileChanged) IsViewerFileEvent() {}

// IsViewerFileEvent implements ViewerFileEvent.
func (*FileDeleted) IsViewerFileEvent() {}
