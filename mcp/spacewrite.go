package mcp

import (
	"context"
	"fmt"

	"portico/graph/view"
	"portico/limit"
	"portico/model"
)

// createSpaceInput describes a new space; every field is optional.
type createSpaceInput struct {
	model.SpaceTextInput
	ResourceKey *string            `json:"resource_key,omitempty" jsonschema:"A file of this account, from an upload tool or a completed job, that becomes the first entity; without one the space has no content."`
	SpaceType   *model.SpaceType   `json:"space_type,omitempty" jsonschema:"infinite (the default): content without a room around it. hub: a room with 7 static gates."`
	Privacy     *model.PrivacyWord `json:"privacy,omitempty" jsonschema:"Closed (Private, the default), Open (Public), or Link Only, which needs a Pro account."`
	Data        model.Object       `json:"data,omitempty" jsonschema:"Fields of your own to keep with the space."`
}

// createdSpaceOutput is the output of create_space. Its summary has the address, which the agent
// passes on to its user.
type createdSpaceOutput struct{ view.CreatedSpaceWithID }

func (o createdSpaceOutput) summary() string {
	return fmt.Sprintf("Space created: %q at %s", o.Title, o.SpaceURL) + warningSuffix(o.Warning)
}

// warningSuffix returns the warning as the end of a summary, or "".
func warningSuffix(warning *string) string {
	if warning == nil {
		return ""
	}
	return ". Warning: " + *warning
}

func (d *door) createSpace(ctx context.Context, in createSpaceInput) (createdSpaceOutput, error) {
	space, err := d.Resolver.Mutation().CreateSpace(ctx, model.CreateSpace{
		SpaceTextInput: in.SpaceTextInput, ResourceKey: in.ResourceKey,
		Type: in.SpaceType, Privacy: in.Privacy.Option(), Data: in.Data,
	})
	if err != nil {
		return createdSpaceOutput{}, err
	}
	return createdSpaceOutput{view.NewCreatedSpace(d.Resolver, space)}, nil
}

// updateSpaceInput changes a space; omitted fields stay as they are.
type updateSpaceInput struct {
	spaceInput
	model.SpaceTextInput
	Privacy *model.PrivacyWord `json:"privacy,omitempty" jsonschema:"Open (Public), Closed (Private), or Link Only, which needs a Pro account."`
	Data    model.Object       `json:"data,omitempty" jsonschema:"Fields of your own, merged over the ones kept with the space."`
}

func (d *door) updateSpace(ctx context.Context, in updateSpaceInput) (spaceOutput, error) {
	space, err := d.Resolver.Mutation().UpdateSpace(ctx, model.UpdateSpace{
		SpaceID: in.SpaceID, SpaceTextInput: in.SpaceTextInput,
		Privacy: in.Privacy.Option(), Data: in.Data,
	})
	return d.newSpaceOutput(space, err)
}

// operation implements operationInput. Setting the privacy has a stricter limit.
func (in *updateSpaceInput) operation() string { return limit.UpdateSpaceOperation(in.Privacy != nil) }

func (d *door) spaceTools() []tool {
	return []tool{
		newQuickTool(toolSpec{
			name: "list_spaces", title: "List spaces", effect: readsOnly, operations: []string{"spaces"},
			description: "Lists the account's spaces, newest first, page by page.",
		}, d.spaces),
		newQuickTool(toolSpec{
			name: "get_space", title: "Get a space", effect: readsOnly, operations: []string{"space"},
			description: "Returns a space of the account, or a space of another account that is not Private: title, description, privacy, address and the fields kept with it. Its content is in list_entities.",
		}, d.space),
		newQuickTool(toolSpec{
			name: "create_space", title: "Create a space", effect: creates, operations: []string{"createSpace"},
			description: "Creates a space, empty or with an uploaded file in it. It is Private unless privacy says otherwise.",
		}, d.createSpace),
		newQuickTool(toolSpec{
			name: "update_space", title: "Update a space", effect: updates,
			description: "Changes the title, description, privacy or own fields of a space. Omitted fields stay as they are.",
		}, d.updateSpace),
		newQuickTool(toolSpec{
			name: "delete_space", title: "Delete a space", effect: updates, operations: []string{"deleteSpace"},
			description: "Deletes a space and all its entities permanently. Uploaded files stay.",
		}, d.deleteSpace),
		newQuickTool(toolSpec{
			name: "update_space_privacy", title: "Update a space's privacy", effect: updates, operations: []string{"updateSpacePrivacy"},
			description: "Sets who can find and open a space, and can notify the followers when it becomes public.",
		}, d.updateSpacePrivacy),
	}
}
