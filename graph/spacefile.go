package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"portico/model"
	"portico/storage"
)

// EachSpaceFile calls visit with the path below space/ and the content of a plugin or an asset of an
// exported space, or of each file of a plugin folder. Visit reads all of the content. SpaceFileError
// explains an error of this method or of visit.
func (r *Resolver) EachSpaceFile(
	ctx context.Context, export *model.SpaceFiles, file *model.SpaceFile, visit func(name string, content io.Reader) error,
) error {
	if !file.IsFolder() {
		return r.readStored(ctx, spaceFileKey(export.Space, file.ResourceKey), func(content io.Reader) error { return visit(file.Path, content) })
	}
	root, sums := folderRoot(export.Space, file), map[string]string{}
	for object, err := range r.store.List(ctx, root) {
		if err != nil {
			return fmt.Errorf("list the files of %s: %w", file.Path, err)
		}
		sum, name := sha256.New(), strings.TrimPrefix(object.Key, root)
		err := r.readStored(ctx, object.Key, func(content io.Reader) error {
			return visit(file.Path+"/"+name, io.TeeReader(content, sum))
		})
		if err != nil {
			return err
		}
		sums[name] = hex.EncodeToString(sum.Sum(nil))
	}
	// Objects that are deleted meanwhile are missing in the list.
	if model.FolderSHA256(sums) != file.SHA256 {
		return fmt.Errorf("files of %s: %w", file.Path, storage.ErrNotFound)
	}
	return nil
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
	current, lookup := r.db.Files().AnyFile(ctx, file.ResourceKey)
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
			tokens[url] = file.Tokens()[0]
		}
	}
	return tokens
}

// spaceFileKey returns the key in the store of a file of the space's owner.
func spaceFileKey(space *model.Space, resourceKey string) string {
	return (&model.File{UserID: space.OwnerID, ResourceKey: resourceKey}).StorageKey()
}
