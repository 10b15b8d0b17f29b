package model

import (
	"strings"
	"unicode/utf8"
)

// The maximum numbers of characters of a title and a description in the file of a room.
const (
	maxRoomTitle       = 50
	maxRoomDescription = 2048
)

// RoomSettings are the fields of a space that the file of its room has among the data of RoomInfo.
// Nil fields were not sent.
type RoomSettings struct {
	Title       *string      `json:"roomTitle"`
	Description *string      `json:"roomDescription"`
	Privacy     *PrivacyWord `json:"roomPrivacy"`
}

// newRoomSettings returns the settings of the space as JSON.
func newRoomSettings(space *Space) Object {
	word := PrivacyWord(space.Privacy)
	return NewObject(RoomSettings{&space.Title, &space.Description, &word})
}

// CutRoomSettings returns the settings in the data of a room, and the data without them. A setting
// that RoomInfo kept for itself would differ from the setting of the space after the next change of
// the space.
func CutRoomSettings(data Object) (settings RoomSettings, rest Object, err error) {
	if err := Decode(data, "", &settings); err != nil {
		return settings, data, err
	}
	fields := data.Fields()
	for _, name := range []string{"roomTitle", "roomDescription", "roomPrivacy"} {
		delete(fields, name)
	}
	return settings, NewObject(fields), nil
}

// Change returns the change that gives the space the settings. It sets only fields that differ, so
// its zero value except for SpaceID means that nothing changes. A title of blanks alone is none, and
// changes nothing.
//
// The limits are for new texts: a space may have longer ones from elsewhere, which a client sends
// back as it received them.
func (s RoomSettings) Change(space *Space) (change UpdateSpace, err error) {
	change = UpdateSpace{SpaceID: space.ID}
	if s.Title != nil && *s.Title != space.Title && strings.TrimSpace(*s.Title) != "" {
		change.Title = s.Title
	}
	if s.Description != nil && *s.Description != space.Description {
		change.Description = s.Description
	}
	if privacy := s.Privacy.Option(); privacy != nil && *privacy != space.Privacy {
		change.Privacy = privacy
	}
	for _, text := range []struct {
		name  string
		value *string
		max   int
	}{{"roomTitle", change.Title, maxRoomTitle}, {"roomDescription", change.Description, maxRoomDescription}} {
		if text.value != nil && utf8.RuneCountInString(*text.value) > text.max {
			return change, Invalidf("%s has more than %d characters", text.name, text.max)
		}
	}
	return change, change.Validate()
}

// IsEmpty reports whether the change changes nothing.
func (in UpdateSpace) IsEmpty() bool {
	return in.SpaceTextInput == SpaceTextInput{} && in.Privacy == nil && in.PluginsForVisitors == nil &&
		in.Data == nil && in.Presence == nil
}
