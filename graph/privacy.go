package graph

import (
	"context"

	"portico/graph/access"
	"portico/model"
)

// UpdateSpacePrivacy changes who can find and open a space (API section 4). Its text for callers
// who do not own the space differs from the text of UpdateSpace (API section 7).
func (r Mutations) UpdateSpacePrivacy(ctx context.Context, in model.UpdateSpacePrivacy) (*model.Space, error) {
	space, err := r.access.AuthorizedSpace(ctx, in.SpaceID, access.Owns, model.PrivacyForbidden)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if err := r.allowPrivacy(ctx, space.OwnerID, &in.Privacy); err != nil {
		return nil, err
	}
	change := model.UpdateSpace{SpaceID: in.SpaceID, Privacy: &in.Privacy}
	return writeJSON(ctx, r.Resolver, spaceBytes, func() (*model.Space, error) {
		return r.db.Spaces().UpdateSpacePrivacy(ctx, change, in.InformFollowers)
	})
}

// allowPrivacy refuses Link Only for a space whose owner does not have the Pro plan. It reads the
// plan only for Link Only, so most changes need no query for it.
//
// An account that loses the Pro plan keeps its Link Only spaces as they are.
func (r *Resolver) allowPrivacy(ctx context.Context, ownerID string, privacy *model.Privacy) error {
	if privacy == nil || *privacy != model.LinkOnly {
		return nil
	}
	user, err := r.db.Accounts().User(ctx, ownerID)
	if err != nil {
		return err
	}
	if user.Plan != model.PlanPro {
		return model.Invalidf(model.PrivacyNeedsPro).WithField("privacy").WithReason(model.ReasonProRequired)
	}
	return nil
}
