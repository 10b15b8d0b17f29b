package mcp

import (
	"context"
	"fmt"

	"portico/graph/view"
	"portico/limit"
	"portico/model"
)

// createSpaceInput is what a space is made from; all of it may be left out.
type createSpaceInput struct {
	Title       *string            `json:"title,omitempty" jsonschema:"What the space is called; by default the file's name."`
	Description *string            `json:"description,omitempty" jsonschema:"What the space is about."`
	ResourceKey *string            `json:"resource_key,omitempty" jsonschema:"A file of this account, from an upload tool or a completed job, that becomes the first entity; without it the space is empty."`
	SpaceType   *model.SpaceType   `json:"space_type,omitempty" jsonschema:"infinite (the default): content floats in the open. hub: a room with 7 static gates."`
	Privacy     *model.PrivacyWord `json:"privacy,omitempty" jsonschema:"Closed (Private, the default), Open (Public), or Link Only, which needs a Pro account."`
	Data        model.Object       `json:"data,omitempty" jsonschema:"Fields of your own to keep with the space."`
}

// createdSpaceAnswer answers create_space.
type createdSpaceAnswer struct{ view.CreatedSpaceWithID }

func (a createdSpaceAnswer) summary() string {
	return fmt.Sprintf("Space created: %q at %s", a.Title, a.SpaceURL) + warned(a.Warning)
}

// warned returns the end of a summary for what was made in spite of a warning.
func warned(warning *string) string {
	if warning == nil {
		return ""
	}
	return ". Warning: " + *warning
}

func (d *door) createSpace(ctx context.Context, in createSpaceInput) (createdSpaceAnswer, error) {
	space, err := d.Resolver.Mutation().CreateSpace(ctx, model.CreateSpace{
		Title: in.Title, Description: in.Description, ResourceKey: in.ResourceKey,
		Type: in.SpaceType, Privacy: in.Privacy.Option(), Data: in.Data,
	})
	if err != nil {
		return createdSpaceAnswer{}, err
	}
	return createdSpaceAnswer{view.NewCreatedSpace(d.Resolver, space)}, nil
}

// updateSpaceInput changes a space; what is left out is kept.
type updateSpaceInput struct {
	spaceInput
	Title       *string            `json:"title,omitempty" jsonschema:"The new title; an empty one falls back as at creation."`
	Description *string            `json:"description,omitempty" jsonschema:"The new description."`
	Privacy     *model.PrivacyWord `json:"privacy,omitempty" jsonschema:"Open (Public), Closed (Private), or Link Only, which needs a Pro account."`
	Data        model.Object       `json:"data,omitempty" jsonschema:"Fields of your own to keep with the space, laid over those that it has."`
}

func (d *door) updateSpace(ctx context.Context, in updateSpaceInput) (spaceAnswer, error) {
	space, err := d.Resolver.Mutation().UpdateSpace(ctx, model.UpdateSpace{
		SpaceID: in.SpaceID, Title: in.Title, Description: in.Description,
		Privacy: in.Privacy.Option(), Data: in.Data,
	})
	return d.newSpaceAnswer(space, err)
}

// updateOperation returns the operation that a call of update_space equals.
func updateOperation(in any) string {
	if update, ok := in.(updateSpaceInput); ok && update.Privacy != nil {
		return limit.PrivacyChange
	}
	return "updateSpace"
}

// spaceTools are the tools of spaces.
func (d *door) spaceTools() []tool {
	return []tool{
		quick(card{
			name: "list_spaces", title: "List spaces", effect: reads, operations: []string{"spaces"},
			description: "Lists the account's spaces, newest first, page by page.",
		}, d.listSpaces),
		quick(card{
			name: "get_space", title: "Get a space", effect: reads, operations: []string{"space"},
			description: "Returns one space of the account: title, description, privacy, address and the fields kept with it. Its content is in list_entities.",
		}, d.space),
		quick(card{
			name: "create_space", title: "Create a space", effect: adds, operations: []string{"createSpace"},
			description: "Makes a space, empty or around an uploaded file. A new space is private: use update_space_privacy to publish it.",
		}, d.createSpace),
		quick(card{
			name: "update_space", countsAs: updateOperation, title: "Update a space", effect: changes,
			description: "Changes the title, description, privacy or own fields of a space. What is left out stays as it is.",
		}, d.updateSpace),
		quick(card{
			name: "delete_space", title: "Delete a space", effect: changes, operations: []string{"deleteSpace"},
			description: "Deletes a space and all its entities for good. Uploaded files stay.",
		}, d.deleteSpace),
		quick(card{
			name: "update_space_privacy", title: "Update a space's privacy", effect: changes, operations: []string{"updateSpacePrivacy"},
			description: "Sets who finds and reaches a space, and can notify the followers when it becomes public.",
		}, d.updateSpacePrivacy),
	}
}
