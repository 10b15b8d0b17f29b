package graph

import (
	"context"

	"portico/model"
)

// MoveInSpace moves a visitor. The ticket of the visitor is the right to do so, so it needs no
// caller.
//
// It reads no row and checks no key: it runs several times a second for each visitor.
func (r Mutations) MoveInSpace(ctx context.Context, in model.MoveInSpace) error {
	if err := in.Validate(); err != nil {
		return err
	}
	return r.presence.Move(in)
}

// RemoveVisitor ends the stay of a visitor of the caller's space.
func (r Mutations) RemoveVisitor(ctx context.Context, in model.RemoveVisitor) error {
	if _, err := r.access.OwnedSpace(ctx, in.SpaceID); err != nil {
		return err
	}
	if err := in.Validate(); err != nil {
		return err
	}
	return r.presence.RemoveVisitor(in)
}
