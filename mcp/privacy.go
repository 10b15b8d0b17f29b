package mcp

import (
	"context"

	"portico/graph/view"
	"portico/model"
)

// privacyInput changes the privacy of a space. It accepts exactly the words of the specification
// (API section 7).
type privacyInput struct {
	spaceInput
	RoomPrivacy     model.Privacy `json:"roomPrivacy" jsonschema:"Public: everybody can find the space. Private: only the owner can open it. Link Only: everybody with the address can; needs a Pro account."`
	InformFollowers *bool         `json:"informFollowers,omitempty" jsonschema:"Whether to notify the account's followers when the space becomes Public; false by default."`
}

func (d *door) updateSpacePrivacy(ctx context.Context, in privacyInput) (messageOutput, error) {
	_, err := d.Resolver.Mutation().UpdateSpacePrivacy(ctx, model.UpdateSpacePrivacy{
		SpaceID: in.SpaceID, Privacy: in.RoomPrivacy,
		InformFollowers: in.InformFollowers != nil && *in.InformFollowers,
	})
	return newMessage(view.PrivacyUpdated), err
}
