package model

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
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
	// CopiesAllowed reports whether others who may open the space may copy it.
	CopiesAllowed bool
	// Template reports whether the owner is offered the space for new spaces.
	Template bool
	// OriginID is the id of the space of another account that this one was copied from; empty for none.
	// The space may be gone.
	OriginID string
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
	// CopiesAllowed lets others copy the space, and Template offers it to its owner for new spaces.
	CopiesAllowed, Template *bool
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

// SpacePage is what the web page of a space shows.
type SpacePage struct {
	Space     *Space
	OwnerName string
	// Named are the current names of the owner and the space in addresses.
	Named Named
	// Items are the first entities that are shown, in the order of their creation.
	Items []*SpaceItem
	// More reports whether the space has more entities than Items.
	More bool
	// Poster is the address of a picture of the space; empty for none.
	Poster string
	// PosterFile is the file that the poster shows; nil for none.
	PosterFile *File
	// Capture is the first file that viewers load level by level; nil for none.
	Capture *File
	// Origin is the space that this one was copied from, if the caller may find it; otherwise nil.
	Origin *Space
	// MayCopy reports whether the caller may copy the space, once signed in.
	MayCopy bool
	// Owned reports whether the space is the caller's.
	Owned bool
	// MayDownload reports whether the caller may download what is in the space: Downloads.
	MayDownload bool
	Downloads   []Download
	// Attributions are the lines that a page must show with the captures of the space.
	Attributions []string
}

// Gallery is a page of Public spaces with the names and pictures that a list shows.
type Gallery struct {
	Spaces *SpaceConnection
	// Cards has a card for each space, by the id of the space. A space that was deleted after the
	// list was read has none.
	Cards map[string]SpaceCard
}

// SpaceCard is what a list shows of a space in addition to its fields.
type SpaceCard struct {
	OwnerName string
	// Poster is the address of a picture of the space; empty for none.
	Poster string
	// Posters are the picture in each size, smallest first; none without a picture.
	Posters []*Poster
	// Turntable is the picture in motion; nil for none.
	Turntable *Turntable
}

// SpaceContent is what the web page of a space lists: the owner and the first entities.
type SpaceContent struct {
	OwnerName string
	Named     Named
	Items     []*SpaceItem
	// More reports whether the space has entities that are not in Items.
	More bool
}

// SpaceItem is an entity as the page of its space lists it.
type SpaceItem struct {
	EntityID string
	Type     string
	// Title is the title or the name that a client gave the entity; it may be empty.
	Title string
	// GLBURL is the address of the file that the entity shows; empty for none.
	GLBURL string
	// Link is the link of a gate: empty, the id of a space, or a URL.
	Link string
	// Embedded reports whether a gate shows its page in the space.
	Embedded bool
	// Hidden reports whether the entity must not be shown.
	Hidden bool
	// File is the owner's file whose upload GLBURL names; nil for none.
	File *File
}

// IsGate reports whether the item is a gate, which has Link in place of GLBURL.
func (i *SpaceItem) IsGate() bool { return isGateType(i.Type) }

// LinkedSpace returns the id of the space that the gate leads to, or "" if it leads
// somewhere else.
func (i *SpaceItem) LinkedSpace() string {
	id := strings.TrimPrefix(i.Link, oldSpacePrefix)
	if !IsSpaceID(id) {
		return ""
	}
	return id
}

// LinkedURL returns the URL that the gate leads to, or "" if it leads somewhere else.
func (i *SpaceItem) LinkedURL() string {
	if !isURL(i.Link) {
		return ""
	}
	return i.Link
}

// Cover is what a list of spaces shows in addition to the fields of a space.
type Cover struct {
	SpaceID   string
	OwnerID   string
	OwnerName string
	// PosterKey is the key of a poster of a file in the space, in the form of a resource
	// key; empty while there is none.
	PosterKey string
	// Posters are the poster in all its sizes; nil while there is none.
	Posters *Posters `bun:"type:jsonb"`
}

// PosterStorageKey returns the poster's key in the store; empty while there is none.
func (c Cover) PosterStorageKey() string {
	if c.PosterKey == "" {
		return ""
	}
	return c.OwnerID + "/" + c.PosterKey
}

// PublicSpace is a Public space as a sitemap lists it.
type PublicSpace struct {
	ID        string
	Sequence  int64
	ChangedAt Time
	Named     `bun:"embed:"`
}

// SpaceChange is how one thing of a space differs between two versions.
type SpaceChange struct {
	Sequence int64 `json:"-"`
	// Target is the id of an entity, the path of a plugin or an asset such as
	// plugins/clock.mjs, or empty for the settings of the space.
	Target string
	// The type and the content before and after the change. Before is nil if the thing was
	// created, and After is nil if it was deleted.
	BeforeType *string
	Before     Object
	AfterType  *string
	After      Object
}

// Cursor returns the change's cursor in lists.
func (c *SpaceChange) Cursor() string { return Cursor(c.Sequence) }

// Key implements Sortable.
func (c *SpaceChange) Key(OrderField) (int64, string) { return c.Sequence, "" }

// SpaceChangeConnection is one page of changes, by target.
type SpaceChangeConnection Connection[*SpaceChange]

// Edges returns the changes with their cursors.
func (c *SpaceChangeConnection) Edges() []SpaceChangeEdge {
	return edgesOf[*SpaceChange, SpaceChangeEdge](c.Nodes, c.Order)
}

// SpaceChangeEdge is a change with its cursor.
type SpaceChangeEdge Edge[*SpaceChange]

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
		in.CopiesAllowed == nil && in.Template == nil && in.Data == nil && in.Presence == nil
}

// ShareField is the field of a space's data in which the browser splat trainer stores an object. A
// space with that object is a shared space.
const ShareField = "splatjs"

// ShareBlock returns the object of ShareField, or nil for a space that is not shared.
func (s *Space) ShareBlock() json.RawMessage {
	if !s.Data.mayContain(ShareField) {
		return nil
	}
	block := s.Data.Fields()[ShareField]
	if !bytes.HasPrefix(block, []byte("{")) {
		return nil
	}
	return block
}

// SharedSpace is a shared space with the name of its owner.
type SharedSpace struct {
	Space     *Space
	OwnerName string
}

// DayVisits counts the visits of a space on a day.
type DayVisits struct {
	SpaceID string
	// Day is the day in UTC, as 2006-01-02.
	Day    string
	Visits int64
}
