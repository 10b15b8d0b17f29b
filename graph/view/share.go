package view

import (
	"encoding/json"

	"portico/model"
)

// SharedSpace is a space with the block that its owner shares: the field "splatjs" of its stored
// fields.
type SharedSpace struct {
	ID          string            `json:"id"`
	Title       string            `json:"title"`
	Privacy     model.PrivacyWord `json:"privacy"`
	CreatedDate model.Time        `json:"createdDate"`
	Block       json.RawMessage   `json:"splatjs"`
}

// SharedSpaces is a list of shared spaces.
type SharedSpaces struct {
	Items []SharedSpace `json:"items"`
}

// Gallery is a page of shared spaces. NextBefore is the cursor of the next page; null on the last
// one.
type Gallery struct {
	SharedSpaces
	NextBefore *string `json:"nextBefore"`
}

// SharePage is a shared space with what its page shows.
type SharePage struct {
	SharedSpace
	Description string `json:"description"`
	Owner       Owner  `json:"owner"`
}

// Owner is the account of a shared space.
type Owner struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// NewSharePage returns what GET /splatjs/share/:spaceId shows without a key.
func NewSharePage(s *model.SharedSpace) SharePage {
	return SharePage{
		SharedSpace: newSharedSpace(s.Space), Description: s.Space.Description,
		Owner: Owner{ID: s.Space.OwnerID, Name: s.OwnerName},
	}
}

// NewSharedSpaces returns the view of shared spaces, in the same order. Without spaces its list is
// empty and not null.
func NewSharedSpaces(spaces []*model.Space) SharedSpaces {
	list := SharedSpaces{Items: make([]SharedSpace, len(spaces))}
	for i, space := range spaces {
		list.Items[i] = newSharedSpace(space)
	}
	return list
}

// NewGallery returns the response of GET /splatjs/gallery.
func NewGallery(page *model.Connection[*model.Space]) Gallery {
	gallery := Gallery{SharedSpaces: NewSharedSpaces(page.Nodes)}
	if page.PageInfo.HasNextPage {
		gallery.NextBefore = page.PageInfo.EndCursor
	}
	return gallery
}

func newSharedSpace(s *model.Space) SharedSpace {
	return SharedSpace{
		ID: s.ID, Title: s.Title, Privacy: s.Privacy.Word(), CreatedDate: s.CreatedAt, Block: s.ShareBlock(),
	}
}
