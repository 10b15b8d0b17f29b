package graph

import (
	"context"

	"portico/graph/access"
	"portico/model"
)

// newGallery returns a page of Public spaces with what a list shows. It reads nothing: the covers
// of the whole page were read together.
func (r *Resolver) newGallery(ctx context.Context, spaces *model.SpaceConnection, covers map[string]model.Cover) *model.Gallery {
	gallery := &model.Gallery{Spaces: spaces, Cards: make(map[string]model.SpaceCard, len(covers))}
	for _, space := range spaces.Nodes {
		if cover, ok := covers[space.ID]; ok {
			gallery.Cards[space.ID] = r.card(ctx, space, cover)
		}
	}
	return gallery
}

// card returns what a list shows of a space with this cover. A hub without a file that has a poster has
// the picture of its room.
func (r *Resolver) card(ctx context.Context, space *model.Space, cover model.Cover) model.SpaceCard {
	card := model.SpaceCard{
		OwnerName: cover.OwnerName, Posters: r.posters(ctx, cover.OwnerID, cover.Posters), Turntable: r.turntable(ctx, cover.OwnerID, cover.Posters),
	}
	if key := cover.PosterStorageKey(); key != "" {
		card.Poster = r.readURL(ctx, key)
	} else if room := r.hubPosters(space); len(room) > 0 {
		card.Poster, card.Posters = hubPoster(room), room
	}
	return card
}

// CardsOf returns what lists show of the spaces.
func (r *Resolver) CardsOf(ctx context.Context, spaces []*model.Space) (map[*model.Space]model.SpaceCard, error) {
	ids := make([]string, len(spaces))
	for i, space := range spaces {
		ids[i] = space.ID
	}
	covers, err := r.db.Spaces().Covers(ctx, ids)
	if err != nil {
		return nil, err
	}
	cards := make(map[*model.Space]model.SpaceCard, len(spaces))
	for _, space := range spaces { // a space that was deleted meanwhile has an empty cover
		cards[space] = r.card(ctx, space, covers[space.ID])
	}
	return cards, nil
}

// Gallery returns a page of the Public spaces of all accounts. It needs no caller.
func (r Queries) Gallery(ctx context.Context, args model.ConnectionArgs) (*model.Gallery, error) {
	spaces, err := r.PublicSpaces(ctx, model.SpaceFilter{}, args)
	if err != nil {
		return nil, err
	}
	var covers map[string]model.Cover
	if len(spaces.Nodes) > 0 {
		if covers, err = r.db.Spaces().Covers(ctx, idsOf(spaces)); err != nil {
			return nil, err
		}
	}
	return r.newGallery(ctx, spaces, covers), nil
}

// AccountOf returns the id of the account that a name leads to. It needs no caller.
func (r Queries) AccountOf(ctx context.Context, handle string) (string, error) {
	return r.handles.AccountOf(ctx, handle)
}

// NamedSpace returns the id of the space that an address with names leads to, if the caller, or
// everybody, may find it by them.
func (r Queries) NamedSpace(ctx context.Context, named model.Named) (string, error) {
	return r.handles.SpaceOf(ctx, named)
}

// ProfilePage returns an account as the caller sees it, with a page of its Public spaces. It
// needs no caller.
//
// An account that is deleted between the two statements is not found.
func (r Queries) ProfilePage(ctx context.Context, id string, args model.ConnectionArgs) (*model.Profile, *model.Gallery, error) {
	if !access.IsPrintableASCII(id) {
		return nil, nil, model.NotFound(model.UserNotFound)
	}
	spaces, err := r.publicSpacesOf(ctx, id, args)
	if err != nil {
		return nil, nil, err
	}
	profile, covers, err := r.db.Spaces().ProfileWithCovers(ctx, id, access.ViewerID(ctx), idsOf(spaces))
	if err != nil {
		return nil, nil, err
	}
	return profile, r.newGallery(ctx, spaces, covers), nil
}

func idsOf(spaces *model.SpaceConnection) []string {
	ids := make([]string, len(spaces.Nodes))
	for i, space := range spaces.Nodes {
		ids[i] = space.ID
	}
	return ids
}

// SitemapParts divides the Public spaces into parts of this size, and returns where each
// part starts, for SitemapPage. It needs no caller.
func (r Queries) SitemapParts(ctx context.Context, size int) ([]int64, error) {
	return r.db.Spaces().SitemapParts(ctx, size)
}

// SitemapPage returns up to limit Public spaces, from a start of SitemapParts. It needs no caller.
func (r Queries) SitemapPage(ctx context.Context, from int64, limit int) ([]model.PublicSpace, error) {
	return r.db.Spaces().SitemapPage(ctx, from, limit)
}
