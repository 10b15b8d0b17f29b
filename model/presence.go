package model

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxVisitors is the maximum number of visitors of a space who see each other.
const MaxVisitors = 50

// Visitor is somebody who is in a space now. Visitors are kept in memory only.
type Visitor struct {
	// ID is a new random id for each stay in a space, so that it does not identify a person.
	ID string `json:"id"`
	// Name is the name that the visitor chose; nil for a guest.
	Name *string `json:"name,omitempty"`
	// IsOwner reports whether the visitor owns the space.
	IsOwner bool `json:"owner,omitempty"`
	Pose
}

// Pose is the position of a visitor and the direction in which the visitor looks.
type Pose struct {
	// Position is x, y and z of the eye in metres; nil before the first move.
	Position []float64 `json:"position,omitempty"`
	// Yaw increases to the left and Pitch upwards, in degrees.
	Yaw   float64 `json:"yaw,omitempty"`
	Pitch float64 `json:"pitch,omitempty"`
}

// VisitorMove is the new pose of a visitor.
type VisitorMove struct {
	ID string
	Pose
}

// PresenceEvent is an event of the visitors of a space: PresenceJoined first, then
// PresenceChanged, and PresenceEnded last.
type PresenceEvent interface {
	IsPresenceEvent()
	// EventType returns the name of the type in the GraphQL schema.
	EventType() string
}

// PresenceJoined is the start of a stay.
type PresenceJoined struct {
	VisitorID string
	// Ticket is the secret that MoveInSpace requires.
	Ticket string
	// Visitors are all visitors of the space, including the new one.
	Visitors []*Visitor
}

// PresenceChanged is what has changed since the last event.
type PresenceChanged struct {
	Joined []*Visitor
	Moved  []*VisitorMove
	// Left are the ids of visitors who have left.
	Left []string
}

// PresenceEnded is the end of a stay, or the refusal of one.
type PresenceEnded struct {
	Reason PresenceEnd
	// Message is the reason in words.
	Message string
}

// IsPresenceEvent implements PresenceEvent.
func (*PresenceJoined) IsPresenceEvent() {}

// EventType implements PresenceEvent.
func (*PresenceJoined) EventType() string { return "PresenceJoined" }

// IsPresenceEvent implements PresenceEvent.
func (*PresenceChanged) IsPresenceEvent() {}

// EventType implements PresenceEvent.
func (*PresenceChanged) EventType() string { return "PresenceChanged" }

// IsPresenceEvent implements PresenceEvent.
func (*PresenceEnded) IsPresenceEvent() {}

// EventType implements PresenceEvent.
func (*PresenceEnded) EventType() string { return "PresenceEnded" }

// PresenceEnd is why a stay ended.
type PresenceEnd string

// The comments say who or what ended the stay. NewPresenceEnded has the texts for visitors.
const (
	PresenceFull         PresenceEnd = "full"          // MaxVisitors, or the share of one address
	PresenceSwitchedOff  PresenceEnd = "switched_off"  // by the owner
	PresenceRemoved      PresenceEnd = "removed"       // by the owner
	PresenceAccessLost   PresenceEnd = "access_lost"   // the visitor may not read the space any more
	PresenceSpaceDeleted PresenceEnd = "space_deleted" // with the space
)

// NewPresenceEnded returns the event with the reason in words.
func NewPresenceEnded(reason PresenceEnd) *PresenceEnded {
	message := ""
	switch reason {
	case PresenceFull:
		message = fmt.Sprintf("The space is full: up to %d visitors see each other. You can look around, but nobody sees you", MaxVisitors)
	case PresenceSwitchedOff:
		message = "Visitors of this space do not see each other"
	case PresenceRemoved:
		message = "The owner of the space has removed you. You can look around, but nobody sees you"
	case PresenceAccessLost:
		message = "You no longer have access to this space"
	case PresenceSpaceDeleted:
		message = "The space was deleted"
	}
	return &PresenceEnded{Reason: reason, Message: message}
}

// JoinSpace is the input of spacePresence.
type JoinSpace struct {
	SpaceID string
	// Name is the name that other visitors see; nil or empty for a guest.
	Name *string
}

// The maximum number of characters of a name, and of combining marks on one letter.
const (
	maxVisitorName = 40
	maxMarks       = 2
)

// VisitorName returns the name without characters that could disturb other visitors: control
// characters, invisible characters, characters that change the direction of text, and more than
// maxMarks accents on a letter. It returns nil for a guest.
func (in JoinSpace) VisitorName() (*string, error) {
	if in.Name == nil {
		return nil, nil
	}
	if err := checkText("name", *in.Name, 16*maxVisitorName); err != nil {
		return nil, err
	}
	name := visibleName(*in.Name)
	if name == "" {
		return nil, nil
	}
	if utf8.RuneCountInString(name) > maxVisitorName {
		return nil, InvalidField("name", fmt.Sprintf("must have at most %d characters", maxVisitorName))
	}
	return &name, nil
}

// visibleName removes invisible characters and stacked accents from a name, and joins its words by
// single spaces.
func visibleName(name string) string {
	marks := 0
	visible := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case unicode.IsSpace(r):
			return ' '
		case marks > maxMarks, !unicode.IsGraphic(r), isBlankLetter(r):
			return -1
		}
		return r
	}, name)
	return strings.Join(strings.Fields(visible), " ")
}

// isBlankLetter reports whether Unicode counts a character as a letter although it is blank.
func isBlankLetter(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u2800', '\u3164', '\uffa0', utf8.RuneError:
		return true
	}
	return false
}

// MoveInSpace is the input of moveInSpace.
type MoveInSpace struct {
	SpaceID   string
	VisitorID string
	Ticket    string
	Pose
}

// maxVisitorCoordinate is the maximum absolute value of a coordinate, in metres. It limits the size
// of messages.
const maxVisitorCoordinate = 100_000

// Validate refuses a position that is not three numbers up to maxVisitorCoordinate, and angles
// beyond a full turn (yaw) or straight up and down (pitch), in degrees. NaN is within no limit.
func (in MoveInSpace) Validate() error {
	if len(in.Position) != 3 {
		return InvalidField("position", "must have three numbers: x, y, z")
	}
	for _, value := range in.Position {
		if !isWithin(value, maxVisitorCoordinate) {
			return InvalidField("position", fmt.Sprintf("must have numbers between -%d and %d", maxVisitorCoordinate, maxVisitorCoordinate))
		}
	}
	if !isWithin(in.Yaw, 360) {
		return InvalidField("yaw", "must be between -360 and 360")
	}
	if !isWithin(in.Pitch, 90) {
		return InvalidField("pitch", "must be between -90 and 90")
	}
	return nil
}

// isWithin reports whether a number is between -limit and limit; NaN is not.
func isWithin(value, limit float64) bool { return math.Abs(value) <= limit }

// Rounded returns the pose rounded to a centimetre and a degree. That is precise enough to draw a
// figure, and keeps messages short.
func (p Pose) Rounded() Pose {
	position := make([]float64, len(p.Position))
	for i, value := range p.Position {
		position[i] = math.Round(value*100)/100 + 0 // no negative zero
	}
	return Pose{Position: position, Yaw: math.Round(p.Yaw) + 0, Pitch: math.Round(p.Pitch) + 0}
}

// RemoveVisitor is the input of removeVisitor.
type RemoveVisitor struct {
	SpaceID   string
	VisitorID string
}

// maxVisitorID is the maximum length of an id that a client sends; real ids are shorter.
const maxVisitorID = 64

// Validate refuses an id that is empty or longer than any id of a visitor.
func (in RemoveVisitor) Validate() error {
	if in.VisitorID == "" || len(in.VisitorID) > maxVisitorID {
		return InvalidField("visitorId", "is not the id of a visitor")
	}
	return nil
}
