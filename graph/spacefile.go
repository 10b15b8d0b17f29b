package graph

import (
	"context"
	"errors"
	"io"

	"portico/model"
	"portico/storage"
)

// OpenSpaceFile returns the content of a plugin or an asset of an exported space. The
// caller closes it. SpaceFileError explains an error of this method or of a read.
func (r *Resolver) OpenSpaceFile(ctx context.Context, export *model.SpaceFiles, file *model.SpaceFile) (io.ReadCloser, error) {
	return r.store.Open(ctx, spaceFileKey(export.Space, file.ResourceKey))
}

// SpaceFileError returns the refusal of an export if one of its files was deleted after the list of
// files was read, and any other error of reading the file as it is.
//
// Objects are deleted after the row of their file. An object that is missing while its file has a
// row was lost: that is a fault of the server, which belongs in the log.
func (r *Resolver) SpaceFileError(ctx context.Context, file *model.SpaceFile, err error) error {
	if !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	current, lookup := r.db.AnyFile(ctx, file.ResourceKey)
	if lookup != nil || current != nil {
		return errors.Join(err, lookup)
	}
	message := "A file of the space was deleted during the pull: " + model.SpaceFolder + file.Path + ". Pull again"
	return &model.Error{Code: model.CodeConflict, Reason: model.ReasonStale, Message: message, Err: err}
}

// SpaceFileURL returns the public address of a plugin or an asset of a space.
func (r *Resolver) SpaceFileURL(space *model.Space, file *model.SpaceFile) string {
	return r.store.PublicURL(spaceFileKey(space, file.ResourceKey))
}

// urlOf returns SpaceFileURL for the files of one space.
func (r *Resolver) urlOf(space *model.Space) func(*model.SpaceFile) string {
	return func(file *model.SpaceFile) string { return r.SpaceFileURL(space, file) }
}

// tokensOf returns the tokens of the files of a space, by their addresses (see
// model.Entity.WorkspaceFile). Of several paths with one file, the first is its token.
func tokensOf(files []*model.SpaceFile, urlOf func(*model.SpaceFile) string) map[string]string {
	tokens := make(map[string]string, len(files))
	for _, file := range files {
		if url := urlOf(file); tokens[url] == "" {
			tokens[url] = file.Path
		}
	}
	return tokens
}

// spaceFileKey returns the key in the store of a file of the space's owner.
func spaceFileKey(space *model.Space, resourceKey string) string {
	return (&model.File{UserID: space.OwnerID, ResourceKey: resourceKey}).StorageKey()
}
