package graph

import (
	"context"

	"portico/graph/access"
	"portico/model"
)

// maxShared is the maximum number of shared spaces in a list without pages.
const maxShared = 1000

// SharedSpace returns a shared space to everybody who has its link. It needs no caller and counts
// no visit. A space that is not shared, or is Private, is not found.
//
// It serves the gallery routes, which need no key (docs/rest.md).
func (r Queries) SharedSpace(ctx context.Context, id string) (*model.SharedSpace, error) {
	space, err := r.access.LinkedSpace(ctx, id)
	if err != nil {
		return nil, err
	}
	if space.ShareBlock() == nil {
		return nil, model.NotFound(model.SpaceNotFound)
	}
	owner, err := r.db.Accounts().User(ctx, space.OwnerID)
	if err != nil {
		return nil, err
	}
	return &model.SharedSpace{Space: space, OwnerName: owner.Name}, nil
}

// defaultShared is the size of a page of SharedSpaces, unless the caller names another.
const defaultShared = 12

// SharedSpaces returns a page of the Public shared spaces of all accounts, newest first. It
// needs no caller.
func (r Queries) SharedSpaces(ctx context.Context, first *int, after string) (*model.SpaceConnection, error) {
	if first == nil {
		first = new(defaultShared)
	}
	return r.PublicSpaces(ctx, model.SpaceFilter{Shared: true}, model.PageArgs{Limit: first, Cursor: after})
}

// maxSharedBytes is the size of data at which OwnSharedSpaces stops reading. One page may be read
// beyond it, and escapes and the other fields take as much again.
const maxSharedBytes = model.MaxResponse - 2*model.MaxPageBytes

// OwnSharedSpaces returns the caller's shared spaces, newest first: up to maxShared, but no more
// than fit into a response.
//
// The client asks for all at once, so the pages are read here, one after the other.
func (r Queries) OwnSharedSpaces(ctx context.Context) ([]*model.Space, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	var spaces []*model.Space
	page := model.Page{Limit: maxShared}
	for size := 0; size < maxSharedBytes; {
		found, err := r.db.Spaces().SpacesOf(ctx, c.UserID, model.SpaceFilter{Shared: true}, page)
		if err != nil {
			return nil, err
		}
		for _, space := range found.Nodes {
			page.After = space.Sequence
			size += len(space.Data)
		}
		spaces = append(spaces, found.Nodes...)
		page.Limit -= len(found.Nodes)
		if !found.PageInfo.HasNextPage || page.Limit <= 0 {
			break
		}
	}
	return spaces, nil
}
