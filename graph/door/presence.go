package door

import (
	"context"

	"portico/graph/schema"
	"portico/model"
)

// SpacePresence enters a space and subscribes to its visitors.
func (r subscriptionFields) SpacePresence(ctx context.Context, nodeID string, name *string) (<-chan model.PresenceEvent, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", nodeID)
	if err != nil {
		return nil, err
	}
	return r.core.Subscription().SpacePresence(ctx, model.JoinSpace{SpaceID: id, Name: name})
}

// MoveInSpace sends the position of the caller to the other visitors. It needs no key: the ticket of
// SpacePresence is enough.
func (r mutationFields) MoveInSpace(ctx context.Context, in schema.MoveInSpaceInput) (*schema.MoveInSpacePayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	pose := model.Pose{Position: in.Position, Yaw: in.Yaw, Pitch: in.Pitch}
	move := model.MoveInSpace{SpaceID: id, VisitorID: in.VisitorID, Ticket: in.Ticket, Pose: pose}
	if err := r.core.Mutation().MoveInSpace(ctx, move); err != nil {
		return nil, err
	}
	return &schema.MoveInSpacePayload{VisitorID: in.VisitorID}, nil
}

// RemoveVisitor ends the stay of a visitor in a space of the caller.
func (r mutationFields) RemoveVisitor(ctx context.Context, in schema.RemoveVisitorInput) (*schema.RemoveVisitorPayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	if err := r.core.Mutation().RemoveVisitor(ctx, model.RemoveVisitor{SpaceID: id, VisitorID: in.VisitorID}); err != nil {
		return nil, err
	}
	return &schema.RemoveVisitorPayload{RemovedVisitorID: in.VisitorID}, nil
}
