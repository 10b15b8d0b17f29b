package model

import "strings"

// SpaceContent is what the web page of a space lists: the owner and the first entities.
type SpaceContent struct {
	OwnerName string
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
}
