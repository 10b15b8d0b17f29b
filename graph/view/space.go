package view

import (
	"portico/graph"
	"portico/model"
)

// Space is a space in the lists of REST and MCP. It omits the entities and the fields that clients
// store with the space.
type Space struct {
	ID string `json:"id" jsonschema:"The space's id: spaceId of the other tools."`
	model.SpaceTexts
	SpaceType model.SpaceType `json:"space_type" jsonschema:"infinite: content floats in the open. hub: a room with 7 static gates."`
	// Privacy is Open, Closed or Link Only.
	Privacy model.PrivacyWord `json:"privacy" jsonschema:"Open (Public): everybody finds it. Closed (Private): the owner only. Link Only: everybody with the address."`
	// SpaceURL ends with the id, without a slash or a query.
	SpaceURL    string     `json:"space_url" jsonschema:"The address to share with people; it ends with the id."`
	VisitCount  int64      `json:"visitCount" jsonschema:"How often the space was visited."`
	CreatedDate model.Time `json:"createdDate" jsonschema:"When the space was made."`
	ChangeDate  model.Time `json:"changeDate" jsonschema:"When the space was last changed."`
}

// SpaceList is one page of the caller's spaces.
type SpaceList struct {
	Spaces []Space `json:"spaces" jsonschema:"The spaces of this page, newest first."`
	Page
}

// KeptFields is the field of a SpaceRecord that has the stored fields as an object.
const KeptFields = "data"

// SpaceRecord is a space with the fields that clients store with it. Both are in one object, so
// clients find their fields where they have stored them. The object KeptFields has the stored
// fields again.
//
// A client that sends the record back with PUT changes nothing: rest.unknownFields leaves out what
// is ours.
type SpaceRecord struct {
	Space
	Data model.Object `json:"-"`
}

// MarshalJSON implements json.Marshaler. The fields of the space replace stored fields with the
// same names, so that clients cannot forge them.
func (s SpaceRecord) MarshalJSON() ([]byte, error) {
	own := struct {
		Space
		Kept model.Object `json:"data"`
	}{s.Space, s.Data.OrEmpty()}
	return s.Data.With(model.NewObject(own)).MarshalJSON()
}

// NewSpace returns a space with its public address.
func NewSpace(r *graph.Resolver, s *model.Space) Space {
	return Space{
		ID: s.ID, SpaceTexts: s.SpaceTexts, SpaceType: s.Type,
		Privacy: s.Privacy.Word(), SpaceURL: r.SpaceURL(s), VisitCount: s.VisitCount,
		CreatedDate: s.CreatedAt, ChangeDate: s.ChangedAt,
	}
}

// NewSpaceRecord returns the view of a space with its stored fields.
func NewSpaceRecord(r *graph.Resolver, s *model.Space) SpaceRecord {
	return SpaceRecord{Space: NewSpace(r, s), Data: s.Data}
}

// NewSpaceList returns the response of a list of spaces.
func NewSpaceList(r *graph.Resolver, page *model.Connection[*model.Space]) SpaceList {
	spaces := make([]Space, len(page.Nodes))
	for i, space := range page.Nodes {
		spaces[i] = NewSpace(r, space)
	}
	return SpaceList{spaces, NewPage(len(spaces), page.TotalCount, page.PageInfo)}
}

// CreatedSpace is a new space without its id, for POST /user/create-space: the id is at the end of
// the address (API section 4, Spaces).
type CreatedSpace struct {
	SpaceURL  string          `json:"space_url" jsonschema:"The address to share with people; it ends with the id."`
	Title     string          `json:"title" jsonschema:"What the space is called."`
	SpaceType model.SpaceType `json:"space_type" jsonschema:"The space's type."`
	Warning   *string         `json:"warning,omitempty" jsonschema:"Why the space will show nothing; omitted if it will show something."`
}

// CreatedSpaceWithID is a new space with its id, for POST /spaces and MCP.
type CreatedSpaceWithID struct {
	SpaceID string `json:"spaceId" jsonschema:"The new space's id."`
	CreatedSpace
}

// NewCreatedSpace returns the response to the creation of a space, with its warning.
func NewCreatedSpace(r *graph.Resolver, s *model.Space) CreatedSpaceWithID {
	return CreatedSpaceWithID{
		SpaceID:      s.ID,
		CreatedSpace: CreatedSpace{SpaceURL: r.SpaceURL(s), Title: s.Title, SpaceType: s.Type, Warning: s.Warning},
	}
}
