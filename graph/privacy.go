package graph

import (
	"context"
	"fmt"

	"portico/db"
	"portico/model"
)

// allowPrivacy refuses Link Only for a caller without the Pro plan. It reads the plan only for Link
// Only, so most changes need no query for it.
//
// An account that loses the Pro plan keeps its Link Only spaces as they are.
func (r *Resolver) allowPrivacy(ctx context.Context, c *model.Caller, privacy *model.Privacy) error {
	if privacy == nil || *privacy != model.LinkOnly {
		return nil
	}
	user, err := r.DB.User(ctx, c.UserID)
	if err != nil {
		return err
	}
	if user.Plan != model.PlanPro {
		return model.Invalidf(model.PrivacyNeedsPro).WithField("privacy").WithReason(model.ReasonProRequired)
	}
	return nil
}

// UpdateSpacePrivacy changes who can find and open a space (API section 4). Its text for callers
// who do not own the space differs from the text of UpdateSpace (API section 7).
func (r Mutations) UpdateSpacePrivacy(ctx context.Context, in model.UpdatePrivacy) (*model.Space, error) {
	if _, err := r.authorizedSpace(ctx, in.SpaceID, owns, model.PrivacyForbidden); err != nil {
		return nil, err
	}
	change := model.UpdateSpace{SpaceID: in.SpaceID, Privacy: &in.Privacy}
	if in.InformFollowers && in.Privacy == model.Public {
		return r.changePrivacy(ctx, change, true)
	}
	return r.updateSpace(ctx, change)
}

// changePrivacy changes a space of the caller, whose ownership was checked before, and records a
// change of its privacy. With notifyFollowers it notifies the owner's followers when the space becomes
// Public. The lock lets only one of two simultaneous requests do so.
//
// Followers hear of a change to Public only, never of an update of a space that was Public before.
func (r *Resolver) changePrivacy(ctx context.Context, in model.UpdateSpace, notifyFollowers bool) (space *model.Space, err error) {
	err = r.DB.InTx(ctx, func(tx *db.DB) error {
		before, err := tx.SpaceForUpdate(ctx, in.SpaceID)
		if err != nil {
			return err
		}
		if space, err = tx.UpdateSpace(ctx, in); err != nil || before.Privacy == space.Privacy {
			return err
		}
		event := model.NewSecurityEvent(ctx, model.EventPrivacyChanged, space.OwnerID).
			WithSubject(space.ID, fmt.Sprintf("%s: %s to %s", space.Title, before.Privacy, space.Privacy))
		if err := tx.AddSecurityEvent(ctx, event); err != nil || !notifyFollowers || space.Privacy != model.Public {
			return err
		}
		return tx.NotifyFollowers(ctx, space)
	})
	if err != nil {
		return nil, err
	}
	return space, nil
}
