package mcp

import (
	"context"
	"fmt"

	"portico/model"
)

// spaceView is a space (contract, Spaces).
type spaceView struct {
	ID          string          `json:"id" jsonschema:"The space's id: spaceId of the other tools."`
	Title       string          `json:"title" jsonschema:"What the space is called."`
	Description string          `json:"description" jsonschema:"What the space is about; may be empty."`
	SpaceType   model.SpaceType `json:"space_type" jsonschema:"infinite: content floats in the open. hub: a room with 7 static gates."`
	Privacy     privacyWord     `json:"privacy" jsonschema:"Open (Public): everybody finds it. Closed (Private): the owner only. Link Only: who has the address."`
	SpaceURL    string          `json:"space_url" jsonschema:"The address to share with people; it ends with the id."`
	VisitCount  int64           `json:"visitCount" jsonschema:"How often the space was visited."`
	CreatedDate model.Time      `json:"createdDate" jsonschema:"When the space was made."`
	ChangeDate  model.Time      `json:"changeDate" jsonschema:"When the space was last changed."`
}

// spaceRecord is a space with the fields that clients keep with it beside its own.
type spaceRecord struct {
	spaceView

	data model.Object
}

// MarshalJSON implements json.Marshaler. The space's own fields lie on top:
// nothing that was kept can hide them.
func (s spaceRecord) MarshalJSON() ([]byte, error) {
	return s.data.With(model.NewObject(s.spaceView)).MarshalJSON()
}

func (s spaceRecord) summary() string {
	return fmt.Sprintf("Space %q (%s): %s", s.Title, s.Privacy, s.SpaceURL)
}

// viewSpace returns the space as clients see it.
func (d *door) viewSpace(s *model.Space, err error) (spaceRecord, error) {
	if err != nil {
		return spaceRecord{}, err
	}
	return spaceRecord{data: s.Data, spaceView: spaceView{
		ID: s.ID, Title: s.Title, Description: s.Description, SpaceType: s.Type,
		Privacy: privacyWord(s.Privacy.Word()), SpaceURL: d.Resolver.SpaceURL(s), VisitCount: s.VisitCount,
		CreatedDate: s.CreatedAt, ChangeDate: s.ChangedAt,
	}}, nil
}

// spaceInput names a space.
type spaceInput struct {
	SpaceID string `json:"spaceId" jsonschema:"The space: id of list_spaces, or spaceId of create_space; also the last part of its space_url."`
}

func (d *door) space(ctx context.Context, in spaceInput) (spaceRecord, error) {
	space, err := d.Resolver.Query().Space(ctx, in.SpaceID)
	return d.viewSpace(space, err)
}

// listSpacesInput asks for a page of spaces.
type listSpacesInput struct {
	Search *string `json:"search,omitempty" jsonschema:"Only spaces whose title or description contains this text."`
	pageInput
}

// spacePage is one page of the caller's spaces, newest first.
type spacePage struct {
	Spaces []spaceView `json:"spaces" jsonschema:"The spaces of this page, newest first."`
	pageView
}

func (p spacePage) summary() string { return fmt.Sprintf("%d of %d spaces", p.Count, p.Total) }

func (d *door) listSpaces(ctx context.Context, in listSpacesInput) (spacePage, error) {
	found, err := d.Resolver.Query().Spaces(ctx, in.Search, in.size(), in.Cursor)
	if err != nil {
		return spacePage{}, err
	}
	page := fit((*model.Connection[*model.Space])(found), func(s *model.Space) []string {
		return []string{s.Title, s.Description}
	})
	views := make([]spaceView, len(page.Nodes))
	for i, space := range page.Nodes {
		record, err := d.viewSpace(space, nil)
		if err != nil {
			return spacePage{}, err
		}
		views[i] = record.spaceView
	}
	return spacePage{views, newPageView(len(views), page.TotalCount, page.PageInfo)}, nil
}

func (d *door) deleteSpace(ctx context.Context, in spaceInput) (messageView, error) {
	_, err := d.Resolver.Mutation().DeleteSpace(ctx, in.SpaceID)
	return messageView{"Space deleted"}, err
}

// privacyInput changes who reaches a space. Its words are those of the
// specification, to the letter.
type privacyInput struct {
	spaceInput
	RoomPrivacy     model.Privacy `json:"roomPrivacy" jsonschema:"Public: everybody finds it. Private: the owner only. Link Only: who has the address; needs a Pro account."`
	InformFollowers *bool         `json:"informFollowers,omitempty" jsonschema:"Whether to notify the account's followers when the space becomes Public; false unless told."`
}

func (d *door) updateSpacePrivacy(ctx context.Context, in privacyInput) (messageView, error) {
	_, err := d.Resolver.Mutation().UpdateSpacePrivacy(ctx, model.UpdatePrivacy{
		SpaceID: in.SpaceID, Privacy: in.RoomPrivacy,
		InformFollowers: in.InformFollowers != nil && *in.InformFollowers,
	})
	return messageView{"Space privacy updated"}, err
}
