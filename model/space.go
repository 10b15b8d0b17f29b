package model

import (
	"strconv"
	"time"
)

// SpaceType is the kind of a space (API section 2, Space types).
type SpaceType string

// The type of a space is set when it is created, and never changes.
const (
	SpaceInfinite SpaceType = "infinite" // open, no room, no static gates; the default
	SpaceHub      SpaceType = "hub"      // a room with seven static gates
)

// SpaceNotFound is the text of API section 7 for a space that does not exist.
const SpaceNotFound = "Space not found"

// UntitledSpace is the title of a space that has neither a title nor a resource.
const UntitledSpace = "Untitled space"

// Space is a 3D space, which contains entities.
type Space struct {
	ID      string `bun:",pk"` // {owner's id}_{unguessable}
	OwnerID string
	// Sequence orders spaces by creation.
	Sequence int64 `bun:",nullzero"`
	SpaceTexts
	Type       SpaceType
	Privacy    Privacy
	VisitCount int64
	// PluginsForVisitors reports whether visitors' pages run the plugins of the space.
	PluginsForVisitors bool
	// Data contains fields that clients define and Portico does not.
	Data      Object
	CreatedAt Time
	// ChangedAt is when the space itself last changed: changeDate of REST and MCP.
	ChangedAt Time
	// TouchedAt is when the space or one of its entities last changed, to within a second.
	TouchedAt Time
	// Version increases with every change of the fields that the owner sets.
	Version int
	// PresenceOff reports whether the owner has switched presence off.
	PresenceOff bool
	// LockName, LockToken and LockedUntil are the last lock, which may have expired: see Lock. A
	// released lock has neither name nor token, and LockedUntil is when it was released.
	LockName    string `bun:",nullzero"`
	LockToken   string `bun:",nullzero"`
	LockedUntil Time
	// ReadAt is when the space was read, by the clock of the database, which also set LockedUntil.
	ReadAt Time `bun:",scanonly"`
	// Warning is the warning about the file that a new space was made from; nil for none, and
	// for a space that is read.
	Warning *string `bun:"-"`
}

// Presence reports whether visitors of the space see each other.
func (s *Space) Presence() bool { return !s.PresenceOff }

// Cursor returns the space's cursor in lists.
func (s *Space) Cursor() string { return Cursor(s.Sequence) }

// SpaceConnection is one page of spaces, newest first.
type SpaceConnection Connection[*Space]

// Edges returns the spaces with their cursors.
func (c *SpaceConnection) Edges() []SpaceEdge { return edgesOf[*Space, SpaceEdge](c.Nodes, c.Order) }

// SpaceEdge is a space with its cursor.
type SpaceEdge Edge[*Space]

// CreateSpace is the input of createSpace.
type CreateSpace struct {
	SpaceTextInput // without a title, or with a blank one, it is the name of the resource, or UntitledSpace
	// ResourceKey names a file of the caller, which becomes an entity of the
	// space; without it the space is empty.
	ResourceKey *string
	Type        *SpaceType // nil means SpaceInfinite
	Privacy     *Privacy   // nil means Private
	Data        Object
}

// Validate refuses an unknown type or privacy, texts that are too long, and data that cannot be
// stored.
func (in CreateSpace) Validate() error {
	if in.Type != nil && *in.Type != SpaceInfinite && *in.Type != SpaceHub {
		return InvalidField("space_type", "must be hub or infinite")
	}
	if err := checkObject("data", in.Data); err != nil {
		return err
	}
	return in.validate(in.Privacy)
}

// NewSpace returns the space that a valid input describes, made from the file
// where there is one.
func NewSpace(ownerID string, in CreateSpace, file *File) *Space {
	now := Now()
	space := &Space{
		ID: NewSpaceID(ownerID), OwnerID: ownerID, Type: SpaceInfinite, Privacy: Private,
		Data: in.Data.OrEmpty(), CreatedAt: now, ChangedAt: now, TouchedAt: now, Version: 1,
	}
	in.setOn(&space.SpaceTexts)
	if IsBlank(space.Title) {
		space.Title = UntitledSpace
		if file != nil {
			space.Title = file.Title()
		}
	}
	if file != nil {
		space.Warning = file.Warning()
	}
	if in.Type != nil {
		space.Type = *in.Type
	}
	if in.Privacy != nil {
		space.Privacy = *in.Privacy
	}
	return space
}

// UpdateSpace is the input of updateSpace. Nil fields keep their values.
type UpdateSpace struct {
	SpaceID string
	SpaceTextInput
	Privacy *Privacy
	// PluginsForVisitors allows the plugins of the space to run for visitors.
	PluginsForVisitors *bool
	// Data replaces fields of the space's data; others keep their values.
	Data Object
	// Presence switches presence on or off.
	Presence *bool
	// ExpectedVersion refuses the change when the space has another version; nil accepts
	// every version.
	ExpectedVersion *int
}

// Validate refuses an unknown privacy, texts that are too long, and data that cannot be stored.
func (in UpdateSpace) Validate() error {
	if err := checkObject("data", in.Data); err != nil {
		return err
	}
	return in.validate(in.Privacy)
}

// Bytes is the size of the fields and the texts of the space in memory.
func (s *Space) Bytes() int { return len(s.Data) + s.SpaceTexts.Bytes() }

// Key implements Sortable.
func (s *Space) Key(field OrderField) (int64, string) {
	switch field {
	case OrderByTouch:
		return s.Sequence, s.TouchedAt.UTC().Format(time.RFC3339Nano)
	case OrderByTitle:
		return s.Sequence, s.Title
	case OrderByVisits:
		return s.Sequence, strconv.FormatInt(s.VisitCount, 10)
	}
	return s.Sequence, ""
}
