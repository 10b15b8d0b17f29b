package mcp

import (
	"context"
	"fmt"

	"portico/graph/view"
	"portico/model"
)

// spaceOutput is the output of get_space and update_space.
type spaceOutput struct{ view.SpaceRecord }

func (o spaceOutput) summary() string {
	return fmt.Sprintf("Space %q (%s): %s", o.Title, o.Privacy, o.SpaceURL)
}

// newSpaceOutput renders the results of a resolver.
func (d *door) newSpaceOutput(space *model.Space, err error) (spaceOutput, error) {
	if err != nil {
		return spaceOutput{}, err
	}
	return spaceOutput{view.NewSpaceRecord(d.Resolver, space)}, nil
}

type spaceInput struct {
	SpaceID string `json:"spaceId" jsonschema:"The space: id of list_spaces, or spaceId of create_space; also the last part of its space_url."`
}

func (d *door) space(ctx context.Context, in spaceInput) (spaceOutput, error) {
	space, err := d.Resolver.Mutation().VisitSpace(ctx, in.SpaceID)
	return d.newSpaceOutput(space, err)
}

// listSpacesInput selects a page of spaces.
type listSpacesInput struct {
	Search *string `json:"search,omitempty" jsonschema:"Only spaces whose title or description contains this text."`
	pageInput
}

type spaceListOutput struct{ view.SpaceList }

func (o spaceListOutput) summary() string { return fmt.Sprintf("%d of %d spaces", o.Count, o.Total) }

func (d *door) spaces(ctx context.Context, in listSpacesInput) (spaceListOutput, error) {
	found, err := d.Resolver.Query().Spaces(ctx, in.Search, in.size(), in.Cursor)
	if err != nil {
		return spaceListOutput{}, err
	}
	return spaceListOutput{view.NewSpaceList(d.Resolver, (*model.Connection[*model.Space])(found))}, nil
}

func (d *door) deleteSpace(ctx context.Context, in spaceInput) (messageOutput, error) {
	_, err := d.Resolver.Mutation().DeleteSpace(ctx, in.SpaceID)
	return newMessage(view.SpaceDeleted), err
}
