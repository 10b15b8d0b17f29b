package graph

import (
	"context"
	"path"
	"slices"

	"portico/graph/access"
	"portico/model"
	"portico/splat"
)

// maxPageItems is how many entities the page of a space lists.
const maxPageItems = 500

// SpacePosters returns the poster of the page in each size, smallest first.
func (r *Resolver) SpacePosters(ctx context.Context, page *model.SpacePage) []*model.Poster {
	if page.PosterFile == nil {
		return r.hubPosters(page.Space)
	}
	return r.FilePosters(ctx, page.PosterFile)
}

// SpacePage returns what the page of a space shows to a caller who may read the space, or to
// everybody. It counts no visit.
//
// It is two round trips: the space, and its content with the owner and the files.
func (r Queries) SpacePage(ctx context.Context, id string) (*model.SpacePage, error) {
	space, err := r.access.ReadableSpace(ctx, id)
	if err != nil {
		return nil, r.explainTakedown(ctx, id, err)
	}
	content, err := r.db.Spaces().SpaceContent(ctx, space, maxPageItems)
	if err != nil {
		return nil, err
	}
	origin, err := r.origin(ctx, space)
	if err != nil {
		return nil, err
	}
	page := &model.SpacePage{
		Origin: origin, MayCopy: access.MayCopy(access.ReaderFrom(ctx), space),
		Space: space, OwnerName: content.OwnerName, Named: content.Named, More: content.More, Owned: access.Owns(model.CallerFrom(ctx), space), MayDownload: access.MayDownload(access.ReaderFrom(ctx), space),
	}
	for _, item := range content.Items {
		if item.Hidden {
			continue
		}
		page.Items = append(page.Items, item)
		if item.File != nil {
			r.addPageFile(ctx, page, item.File)
		}
		if page.MayDownload {
			addDownloads(page, item)
		}
	}
	if page.Poster == "" {
		page.Poster = hubPoster(r.hubPosters(space))
	}
	return page, nil
}

// explainTakedown returns the refusal of a space for its page: it says that an operator took the
// space down, if so. The other doors answer as for any Private space.
func (r *Resolver) explainTakedown(ctx context.Context, id string, refusal error) error {
	if code := model.CodeOf(refusal); code != model.CodeForbidden && code != model.CodeUnauthenticated {
		return refusal
	}
	takedowns, err := r.db.Moderation().Takedowns(ctx, []string{id})
	if err != nil {
		return err
	}
	if takedowns[id] != nil {
		return model.Forbidden(model.SpaceTakenDown).WithReason(model.ReasonTakenDown)
	}
	return refusal
}

// addPageFile adds the poster, the capture and the attribution of a file to the page.
func (r *Resolver) addPageFile(ctx context.Context, page *model.SpacePage, file *model.File) {
	if poster := r.FilePosterURL(ctx, file); poster != nil && page.Poster == "" {
		page.Poster, page.PosterFile = *poster, file
	}
	if page.Capture == nil && path.Base(file.ViewStorageKey()) == splat.StreamedSOGName {
		page.Capture = file
	}
	if line := file.Attribution(); line != "" && !slices.Contains(page.Attributions, line) {
		page.Attributions = append(page.Attributions, line)
	}
}
