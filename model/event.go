package model

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

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

// RoomChanged reports a change of RoomInfo, the internal entity with the settings of the space.
type RoomChanged struct {
	Space *Space
	Room  *Entity
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
func (*RoomChanged) IsSpaceEvent() {}

// EventType implements SpaceEvent.
func (*RoomChanged) EventType() string { return "RoomChanged" }

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

// SecurityEventChange is a value before and after an event.
type SecurityEventChange struct {
	Field SecurityEventField `json:"field"`
	// Before and After are of type Privacy or Plan, or a number of bytes.
	Before string `json:"before"`
	After  string `json:"after"`
}

// SecurityEventField names the value that a SecurityEventChange is about.
type SecurityEventField string

// The values whose changes the audit trail records.
const (
	PrivacyField SecurityEventField = "privacy" // of a space
	PlanField    SecurityEventField = "plan"    // of an account
	StorageField SecurityEventField = "storage" // the quota of an account, in bytes
)

// BeforeConstant returns Before as in GraphQL: a constant of Privacy or Plan, or a number of bytes.
func (c *SecurityEventChange) BeforeConstant() string { return changedConstant(c.Before) }

// AfterConstant returns After as in GraphQL: a constant of Privacy or Plan, or a number of bytes.
func (c *SecurityEventChange) AfterConstant() string { return changedConstant(c.After) }

func changedConstant(value string) string {
	return strings.ToUpper(strings.ReplaceAll(value, " ", "_"))
}

// text returns the change in English.
func (c *SecurityEventChange) text() string {
	change := c.Before + " to " + c.After
	switch c.Field {
	case PlanField:
		return "plan " + change
	case StorageField:
		return "storage " + change + " bytes"
	}
	return change
}

// changesText returns the changes as one English sentence; "" for none.
func changesText(changes []SecurityEventChange) string {
	texts := make([]string, len(changes))
	for i := range changes {
		texts[i] = changes[i].text()
	}
	sentence := strings.Join(texts, ", ")
	if sentence == "" {
		return ""
	}
	return strings.ToUpper(sentence[:1]) + sentence[1:]
}

// SecurityEventReason says of an event what its type does not: why a sign-in failed, or how much a
// change covers.
type SecurityEventReason string

// The reasons of security events.
const (
	EventReasonWrongCode          SecurityEventReason = "wrong-code"
	EventReasonAccountChange      SecurityEventReason = "account-change"
	EventReasonOtherSessions      SecurityEventReason = "other-sessions"
	EventReasonPasswordRemoved    SecurityEventReason = "password-removed"
	EventReasonEmailNotVerified   SecurityEventReason = "email-not-verified"
	EventReasonEmailNotSupported  SecurityEventReason = "email-not-supported"
	EventReasonEmailInvalid       SecurityEventReason = "email-invalid"
	EventReasonNoAccount          SecurityEventReason = "no-account"
	EventReasonFirstAccount       SecurityEventReason = "first-account"
	EventReasonIdentityTaken      SecurityEventReason = "identity-taken"
	EventReasonOtherIdentity      SecurityEventReason = "other-identity"
	EventReasonLaterEventsDropped SecurityEventReason = "later-events-dropped"
)

// eventReasonTexts are the reasons in English.
var eventReasonTexts = map[SecurityEventReason]string{
	EventReasonWrongCode:          "Wrong one-time code",
	EventReasonAccountChange:      "To change the account",
	EventReasonOtherSessions:      "All but one",
	EventReasonPasswordRemoved:    "The password was removed",
	EventReasonEmailNotVerified:   "The external provider has not verified your e-mail address",
	EventReasonEmailNotSupported:  "Your e-mail address has characters that are not supported",
	EventReasonEmailInvalid:       "Your e-mail address is not valid",
	EventReasonNoAccount:          "There is no account with your e-mail address. Ask the operator of this server for one",
	EventReasonFirstAccount:       "This server has no account yet. Create the first one with the link that the server printed when it started",
	EventReasonIdentityTaken:      "This sign-in is connected to another account",
	EventReasonOtherIdentity:      "This account is already connected to another sign-in of the same provider",
	EventReasonLaterEventsDropped: "The daily limit is reached: later events of this kind are not recorded",
}

// SecurityEventReasons returns every reason.
func SecurityEventReasons() []SecurityEventReason { return slices.Sorted(maps.Keys(eventReasonTexts)) }

// Text returns the reason in English. It returns the value itself for a reason that only a newer
// server on the same database knows.
func (r SecurityEventReason) Text() string { return cmp.Or(eventReasonTexts[r], string(r)) }

// RefusedSignIn returns the CodeForbidden error of a sign-in that is refused for this reason.
func RefusedSignIn(reason SecurityEventReason) *Error {
	return Forbidden(reason.Text()).WithEventReason(reason)
}
