package page

import (
	"context"
	"io"

	"portico/model"
)

// Queries are the operations of the resolvers that read what the pages show; graph.Queries
// implements it. The caller is in the context. Their errors are a *model.Error, or internal.
type Queries interface {
	// SpacePage returns what the page of a space shows. It counts no visit.
	SpacePage(ctx context.Context, id string) (*model.SpacePage, error)
	// SpacePosters returns the poster of the page in each size, smallest first.
	SpacePosters(ctx context.Context, page *model.SpacePage) []*model.Poster
	// FirstFiles returns the addresses that a viewer of the page loads for its first picture.
	FirstFiles(ctx context.Context, page *model.SpacePage) []string
	// Download returns what the page of a space offers as a download: of an entity, the file or its
	// view.
	Download(ctx context.Context, spaceID, entityID string, view bool) (*model.Download, error)
	// SpaceToTakeAway returns a space of the caller, who takes it away as a whole.
	SpaceToTakeAway(ctx context.Context, spaceID string) (*model.Space, error)
	// WriteDownload writes a download that is a folder as a zip.
	WriteDownload(ctx context.Context, d *model.Download, w io.Writer) error
	// FormatDownload returns a capture in another format that somebody has asked for.
	FormatDownload(ctx context.Context, in model.RequestDownload) (*model.FormatDownload, error)
	// SpaceURL returns the address of the page of a space.
	SpaceURL(space *model.Space) string
	// Gallery returns a page of the Public spaces of all accounts.
	Gallery(ctx context.Context, args model.ConnectionArgs) (*model.Gallery, error)
	// ProfilePage returns an account as the caller sees it, with a page of its Public spaces.
	ProfilePage(ctx context.Context, id string, args model.ConnectionArgs) (*model.Profile, *model.Gallery, error)
	// AccountOf returns the id of the account that a name leads to.
	AccountOf(ctx context.Context, handle string) (string, error)
	// NamedSpace returns the id of the space that an address with names leads to. A space that the caller
	// may not find by its name is not found.
	NamedSpace(ctx context.Context, named model.Named) (string, error)
	// PictureURL returns the address of the picture of an account; nil for an empty key.
	PictureURL(key string) *string
	// SitemapParts divides the Public spaces into parts of this size, and returns where each
	// starts.
	SitemapParts(ctx context.Context, size int) ([]int64, error)
	// SitemapPage returns up to limit Public spaces, from a start of SitemapParts.
	SitemapPage(ctx context.Context, from int64, limit int) ([]model.PublicSpace, error)
}

// Mutations are the operations of the resolvers that the forms and the scripts of the pages call;
// graph.Mutations implements it. Those on whom an account follows return the account with its new state.
type Mutations interface {
	// RecordStay counts what the page of a space reports when its visitor leaves.
	RecordStay(ctx context.Context, stay model.Stay) error
	// RequestDownload has a capture made in another format, unless it was made already.
	RequestDownload(ctx context.Context, in model.RequestDownload) (*model.FormatDownload, error)
	FollowUser(ctx context.Context, id string) (*model.Profile, error)
	UnfollowUser(ctx context.Context, id string) (*model.Profile, error)
	// DuplicateSpace copies a space that the caller may copy, and returns the copy.
	DuplicateSpace(ctx context.Context, in model.DuplicateSpace) (*model.Space, error)
}
