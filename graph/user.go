package graph

import (
	"context"

	"portico/graph/access"
	"portico/graph/batch"
	"portico/model"
)

// Viewer returns the caller's account.
func (r Queries) Viewer(ctx context.Context) (*model.User, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	return r.db.Accounts().User(ctx, c.UserID)
}

// OwnAccount returns the caller's own account; nil for other accounts.
func (r *Resolver) OwnAccount(ctx context.Context, user *model.Profile) (*model.User, error) {
	return access.OfOwnAccount(ctx, user.ID, func(ctx context.Context, id string) (*model.User, error) {
		if user.Account != nil {
			return user.Account, nil
		}
		return batch.Load(ctx, user, "own", func(ctx context.Context, _ []*model.Profile) (map[*model.Profile]*model.User, error) {
			own, err := r.db.Accounts().User(ctx, id)
			return map[*model.Profile]*model.User{user: own}, err
		})
	})
}

// Storage returns the used and the total storage of the caller's own account; nil for other
// accounts. It adds up rows, so only operations that need the numbers call it.
func (r *Resolver) Storage(ctx context.Context, userID string) (*model.Storage, error) {
	return access.OfOwnAccount(ctx, userID, func(ctx context.Context, id string) (*model.Storage, error) {
		storage, err := r.db.Accounts().Storage(ctx, id)
		return &storage, err
	})
}

// User returns an account as the caller sees it.
func (r Queries) User(ctx context.Context, id string) (*model.Profile, error) {
	if _, err := access.Caller(ctx); err != nil {
		return nil, err
	}
	return r.VisibleUser(ctx, id)
}

// VisibleUser returns an account as the caller sees it. Without a caller, Followed is false.
func (r *Resolver) VisibleUser(ctx context.Context, id string) (*model.Profile, error) {
	if !access.IsPrintableASCII(id) {
		return nil, model.NotFound(model.UserNotFound)
	}
	return r.db.Accounts().Profile(ctx, id, access.ViewerID(ctx))
}

// FollowUser makes the caller follow an account. A repeated request changes nothing.
func (r Mutations) FollowUser(ctx context.Context, id string) (*model.Profile, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if !access.IsPrintableASCII(id) {
		return nil, model.NotFound(model.UserNotFound)
	}
	if access.IsCaller(c, id) {
		return nil, model.Invalidf(model.FollowSelf).WithField("id")
	}
	if err := r.db.Accounts().Follow(ctx, id, c.UserID); err != nil {
		return nil, err
	}
	return r.VisibleUser(ctx, id)
}

// UnfollowUser makes the caller no longer follow an account. The notifications of the caller stay.
func (r Mutations) UnfollowUser(ctx context.Context, id string) (*model.Profile, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	// An unknown account is an error, but an account that the caller does not follow is not.
	profile, err := r.VisibleUser(ctx, id)
	if err != nil {
		return nil, err
	}
	profile.Followed = false
	return profile, r.db.Accounts().Unfollow(ctx, id, c.UserID)
}

// publicSpacesOf returns a page of the account's Public spaces, newest first. The owner
// gets the same page as everybody else.
func (r *Resolver) publicSpacesOf(ctx context.Context, userID string, args model.Pager) (*model.SpaceConnection, error) {
	user := &model.Profile{ID: userID}
	pages, err := r.PublicSpacesOfEach(ctx, []*model.Profile{user}, args)
	return pages[user], err
}

// PublicSpacesOfEach is publicSpacesOf for many accounts.
func (r *Resolver) PublicSpacesOfEach(
	ctx context.Context, users []*model.Profile, args model.Pager,
) (map[*model.Profile]*model.SpaceConnection, error) {
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return batch.ByKey(users, func(user *model.Profile) string { return user.ID },
		func(ids []string) (map[string]*model.SpaceConnection, error) {
			return r.db.Spaces().PublicSpacesOf(ctx, ids, page)
		})
}

// VisibleUsers returns the accounts with these ids that exist, as the caller sees them, by id.
func (r *Resolver) VisibleUsers(ctx context.Context, ids []string) (map[string]*model.Profile, error) {
	return r.db.Accounts().Profiles(ctx, access.PrintableIDs(ids), access.ViewerID(ctx))
}

// Followers returns a page of who follows the caller's own account; nil for other accounts.
func (r *Resolver) Followers(ctx context.Context, userID string, args model.Pager) (*model.UserConnection, error) {
	return pageOfOwnAccount(ctx, userID, args, r.db.Accounts().FollowerPage)
}

// Following returns a page of whom the caller's own account follows; nil for other accounts.
func (r *Resolver) Following(ctx context.Context, userID string, args model.Pager) (*model.UserConnection, error) {
	return pageOfOwnAccount(ctx, userID, args, r.db.Accounts().FollowedPage)
}

// pageOfOwnAccount is access.OfOwnAccount for a page of a list.
func pageOfOwnAccount[T any](
	ctx context.Context, userID string, args model.Pager, list func(context.Context, string, model.Page) (T, error),
) (T, error) {
	return access.OfOwnAccount(ctx, userID, func(ctx context.Context, id string) (none T, err error) {
		page, err := args.Page()
		if err != nil {
			return none, err
		}
		return list(ctx, id, page)
	})
}
