// Package handle has the names of accounts and spaces in addresses: /@handle and /@handle/slug.
package handle

import (
	"cmp"
	"context"

	"portico/db"
	"portico/graph/access"
	"portico/graph/batch"
	"portico/model"
)

// Service has the operations on names in addresses.
type Service struct {
	access *access.Rules
	db     *db.DB
	webURL string // the public address of the server
}

// New returns the operations on the names in a database.
func New(rules *access.Rules, rows *db.DB, webURL string) *Service {
	return &Service{access: rules, db: rows, webURL: webURL}
}

// HandleOf returns the name of an account; empty for none. It is one statement for all accounts of a
// page.
func (s *Service) HandleOf(ctx context.Context, user *model.Profile) (string, error) {
	return batch.Load(ctx, user, "handle", func(ctx context.Context, users []*model.Profile) (map[*model.Profile]string, error) {
		return batch.ByKey(users, func(user *model.Profile) string { return user.ID },
			func(ids []string) (map[string]string, error) { return s.db.Handles().HandlesOf(ctx, ids) })
	})
}

// FormerHandles returns the names that lead to the caller's own account although it has left them; nil
// for other accounts.
func (s *Service) FormerHandles(ctx context.Context, userID string) ([]string, error) {
	return access.OfOwnAccount(ctx, userID, s.db.Handles().FormerHandles)
}

// UserURL returns the address of the page of an account.
func (s *Service) UserURL(ctx context.Context, user *model.Profile) (string, error) {
	handle, err := s.HandleOf(ctx, user)
	return s.webURL + cmp.Or(model.Named{Handle: handle}.Path(), model.UserPath+user.ID), err
}

// NamesOf returns the names of a space and its owner. It is one statement for all spaces of a page.
func (s *Service) NamesOf(ctx context.Context, space *model.Space) (model.Named, error) {
	return batch.Load(ctx, space, "names", func(ctx context.Context, spaces []*model.Space) (map[*model.Space]model.Named, error) {
		return batch.ByKey(spaces, func(space *model.Space) string { return space.ID },
			func(ids []string) (map[string]model.Named, error) { return s.db.Handles().NamesOfSpaces(ctx, ids) })
	})
}

// UpdateHandle changes the name of the caller's account; an empty one leaves it without a name.
func (s *Service) UpdateHandle(ctx context.Context, handle string) error {
	c, err := access.Caller(ctx)
	if err != nil {
		return err
	}
	if handle != "" {
		if handle, err = model.Handle(handle); err != nil {
			return err
		}
	}
	return s.db.Handles().SetHandle(ctx, c.UserID, handle)
}

// UpdateSlug changes the name of a space of the caller; an empty one leaves it without a name.
func (s *Service) UpdateSlug(ctx context.Context, spaceID, slug string) (*model.Space, error) {
	space, err := s.access.OwnedSpace(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	if slug != "" {
		if slug, err = model.Slug(slug); err != nil {
			return nil, err
		}
	}
	return s.db.Handles().SetSlug(ctx, space.ID, slug)
}

// AccountOf returns the id of the account that a name leads to. Everybody may see the page of an
// account, so it needs no caller.
func (s *Service) AccountOf(ctx context.Context, handle string) (string, error) {
	userID, _, err := s.db.Handles().AccountOfHandle(ctx, handle)
	return userID, err
}

// SpaceOf returns the id of the space that an address with names leads to, if the caller may find it by
// them.
func (s *Service) SpaceOf(ctx context.Context, named model.Named) (string, error) {
	space, err := s.access.NamedSpace(ctx, named)
	if err != nil {
		return "", err
	}
	return space.ID, nil
}

// SpaceURL returns the address of a space with names; nil unless it and its owner have one.
func (s *Service) SpaceURL(ctx context.Context, space *model.Space) (*string, error) {
	names, err := s.NamesOf(ctx, space)
	if err != nil || names.SpacePath() == "" {
		return nil, err
	}
	address := s.webURL + names.SpacePath()
	return &address, nil
}
