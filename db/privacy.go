package db

import (
	"context"

	"portico/model"
)

// UpdateSpacePrivacy is UpdateSpace for an update that sets the privacy. It records a change of the
// privacy as a security event. With informFollowers it also notifies the owner's followers when the
// space becomes Public, and not when it was Public before.
//
// The lock lets only one of two simultaneous requests find that the privacy changes.
func (db *DB) UpdateSpacePrivacy(ctx context.Context, in model.UpdateSpace, informFollowers bool) (space *model.Space, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		before, err := tx.SpaceForUpdate(ctx, in.SpaceID)
		if err != nil {
			return err
		}
		if space, err = tx.UpdateSpace(ctx, in); err != nil || before.Privacy == space.Privacy {
			return err
		}
		event := model.NewSecurityEvent(ctx, model.EventPrivacyChanged, space.OwnerID).WithSubject(space.ID, space.Title).
			WithChanges(model.SecurityEventChange{Field: model.PrivacyField, Before: string(before.Privacy), After: string(space.Privacy)})
		err = tx.AddSecurityEvent(ctx, event)
		if err != nil || !informFollowers || space.Privacy != model.Public {
			return err
		}
		return tx.NotifyFollowers(ctx, space)
	})
	if err != nil {
		return nil, err
	}
	return space, nil
}
