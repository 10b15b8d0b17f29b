package graph

import (
	"context"

	"portico/model"
)

// shownFile returns the caller's file that an entity is to show, or nil where the
// input names none: an empty resource key stands for no key. Whoever looks at the
// entity soon will want the file's view, so it is asked for. It may be asked for
// again: it is made once.
func (r *Resolver) shownFile(ctx context.Context, resourceKey *string) (*model.File, error) {
	if deref(resourceKey) == "" {
		return nil, nil
	}
	file, err := r.ownedFile(ctx, *resourceKey)
	if err != nil || !file.NeedsView() {
		return file, err
	}
	return file, r.DB.EnqueueView(ctx, file.ResourceKey)
}

// ViewURL returns the address of what a viewer should load, which the caller can read.
func (r fileResolver) ViewURL(ctx context.Context, file *model.File) (string, error) {
	return r.readURL(ctx, file.ViewStorageKey()), nil
}

// PosterURL returns the address of the file's poster, once there is one, which the
// caller can read.
func (r fileResolver) PosterURL(ctx context.Context, file *model.File) (*string, error) {
	if file.PosterKey == "" {
		return nil, nil
	}
	return orNil(r.readURL(ctx, file.PosterStorageKey())), nil
}

// Attribution returns the line that must be shown with the file, if there is one.
func (r fileResolver) Attribution(_ context.Context, file *model.File) (*string, error) {
	return orNil(file.Attribution()), nil
}

// Version returns the format's own version, if it has one.
func (r fileFactsResolver) Version(_ context.Context, facts *model.FileFacts) (*string, error) {
	return orNil(facts.Version), nil
}

// Fault returns what is wrong with the file, if anything is.
func (r fileFactsResolver) Fault(_ context.Context, facts *model.FileFacts) (*string, error) {
	return orNil(facts.Fault), nil
}
