package door

import (
	"context"

	"portico/graph/access"
	"portico/graph/schema"
	"portico/model"
)

// ShareLinks returns the links of a space of the caller; nil for everybody but its owner.
func (r spaceFields) ShareLinks(ctx context.Context, space *model.Space) ([]*model.ShareLink, error) {
	return r.core.ShareLinks().LinksOf(ctx, space)
}

// ViewerShareLink returns what the link allows by which the browser has entered; nil without one, and
// for the owner, who needs none.
func (r spaceFields) ViewerShareLink(ctx context.Context, space *model.Space) (*model.LinkVisit, error) {
	reader := access.ReaderFrom(ctx)
	if access.Owns(reader.Caller, space) {
		return nil, nil
	}
	return reader.VisitOf(space.ID), nil
}

// CreateShareLink creates a link. Only this response has its address.
func (r mutationFields) CreateShareLink(ctx context.Context, in model.CreateShareLink) (*schema.CreateShareLinkPayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	in.SpaceID = id
	link, address, err := r.core.ShareLinks().CreateShareLink(ctx, in)
	if err != nil {
		return nil, err
	}
	return &schema.CreateShareLinkPayload{ShareLink: link, URL: address}, nil
}

// UpdateShareLink changes a link. Null removes what the link limits.
func (r mutationFields) UpdateShareLink(ctx context.Context, in schema.UpdateShareLinkInput) (*schema.UpdateShareLinkPayload, error) {
	change := model.UpdateShareLink{
		LinkID: in.ShareLinkID, Name: in.Name, AllowsDownload: in.AllowsDownload, AllowsMeasuring: in.AllowsMeasuring,
		SetPassword: in.Password.IsSet(), Password: model.Deref(in.Password.Value()), SetEndsAt: in.EndsAt.IsSet(), EndsAt: in.EndsAt.Value(),
		SetMaxVisits: in.MaxVisits.IsSet(), MaxVisits: in.MaxVisits.Value(),
	}
	link, err := r.core.ShareLinks().UpdateShareLink(ctx, change)
	if err != nil {
		return nil, err
	}
	return &schema.UpdateShareLinkPayload{ShareLink: link}, nil
}

// RevokeShareLink ends a link.
func (r mutationFields) RevokeShareLink(ctx context.Context, in schema.RevokeShareLinkInput) (*schema.RevokeShareLinkPayload, error) {
	link, err := r.core.ShareLinks().RevokeShareLink(ctx, in.ShareLinkID)
	if err != nil {
		return nil, err
	}
	return &schema.RevokeShareLinkPayload{ShareLink: link}, nil
}
