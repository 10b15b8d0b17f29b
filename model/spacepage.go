package model

// SpacePage is what the web page of a space shows.
type SpacePage struct {
	Space     *Space
	OwnerName string
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
}
