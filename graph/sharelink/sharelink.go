// Package sharelink has the operations on the links that open a space for whoever has them.
package sharelink

import (
	"context"

	"portico/auth"
	"portico/db"
	"portico/graph/access"
	"portico/graph/batch"
	"portico/model"
)

// Passwords hashes the passwords of links; *account.Registry implements it.
type Passwords interface {
	// HashLinkPassword returns the hash of a password; "" for no password.
	HashLinkPassword(ctx context.Context, password string) (string, error)
}

// Service has the operations on share links.
type Service struct {
	access    *access.Rules
	db        *db.DB
	passwords Passwords
	// webURL is the public address of the server. opensFiles reports whether everybody can read files
	// that this server does not serve, so that it cannot protect them.
	webURL     string
	opensFiles bool
}

// New returns the operations on the share links of a database. passwords may be nil if nobody
// creates or changes a link.
func New(rules *access.Rules, rows *db.DB, passwords Passwords, webURL string, opensFiles bool) *Service {
	return &Service{access: rules, db: rows, passwords: passwords, webURL: webURL, opensFiles: opensFiles}
}

// filesAreOpen is the refusal of a link to a Private space on a server that cannot protect files.
const filesAreOpen = "The files of this server are open to everybody who has their addresses, because a public bucket serves them. " +
	"A share link of a Private space needs PORTICO_FILES_ACCESS=protected"

// LinksOf returns the links of a space of the caller; nil for everybody but its owner.
func (s *Service) LinksOf(ctx context.Context, space *model.Space) ([]*model.ShareLink, error) {
	if !access.Owns(model.CallerFrom(ctx), space) {
		return nil, nil
	}
	links, err := batch.Load(ctx, space, "shareLinks", func(ctx context.Context, spaces []*model.Space) (map[*model.Space][]*model.ShareLink, error) {
		return batch.ByKey(spaces, func(space *model.Space) string { return space.ID },
			func(ids []string) (map[string][]*model.ShareLink, error) {
				return s.db.ShareLinks().ShareLinksOf(ctx, ids)
			})
	})
	if links == nil && err == nil {
		links = []*model.ShareLink{}
	}
	return links, err
}

// CreateShareLink creates a link of a space of the caller, and returns it with the address for
// visitors. No other operation returns the address.
//
// As with Link Only, the owner needs the Pro plan, and keeps what there is without it.
func (s *Service) CreateShareLink(ctx context.Context, in model.CreateShareLink) (*model.ShareLink, string, error) {
	space, err := s.access.OwnedSpace(ctx, in.SpaceID)
	if err != nil {
		return nil, "", err
	}
	if err := in.Validate(); err != nil {
		return nil, "", err
	}
	if s.opensFiles && space.Privacy == model.Private {
		return nil, "", model.Invalidf(filesAreOpen)
	}
	owner, err := s.db.Accounts().User(ctx, space.OwnerID)
	if err != nil {
		return nil, "", err
	}
	if owner.Plan != model.PlanPro {
		return nil, "", model.Invalidf(model.ShareLinkNeedsPro).WithReason(model.ReasonProRequired)
	}
	hash, err := s.passwords.HashLinkPassword(ctx, in.Password)
	if err != nil {
		return nil, "", err
	}
	secret := model.Token()
	link := &model.ShareLink{
		ID: model.Token(), SpaceID: space.ID, Name: in.Name, SecretHash: auth.LinkSecretHash(secret), PasswordHash: hash, Version: 1,
		AllowsDownload: in.AllowsDownload, AllowsMeasuring: in.AllowsMeasuring, EndsAt: in.EndsAt, MaxVisits: in.MaxVisits,
	}
	if err := s.db.ShareLinks().AddShareLink(ctx, link); err != nil {
		return nil, "", err
	}
	return link, s.webURL + model.SharePath + "#" + secret, nil
}

// UpdateShareLink changes a link of a space of the caller.
func (s *Service) UpdateShareLink(ctx context.Context, in model.UpdateShareLink) (*model.ShareLink, error) {
	link, err := s.access.OwnedShareLink(ctx, in.LinkID)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	hash := ""
	if in.SetPassword {
		if hash, err = s.passwords.HashLinkPassword(ctx, in.Password); err != nil {
			return nil, err
		}
	}
	return s.db.ShareLinks().UpdateShareLink(ctx, access.OwnerOf(link.SpaceID), in, hash)
}

// RevokeShareLink ends a link of a space of the caller for everybody.
func (s *Service) RevokeShareLink(ctx context.Context, id string) (*model.ShareLink, error) {
	link, err := s.access.OwnedShareLink(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.db.ShareLinks().RevokeShareLink(ctx, access.OwnerOf(link.SpaceID), link.ID)
}
