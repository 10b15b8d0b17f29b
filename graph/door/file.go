package door

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"portico/graph/schema"
	"portico/model"
)

// File returns a file of the caller by its GraphQL id.
func (r queryFields) File(ctx context.Context, nodeID string) (*model.File, error) {
	key, err := model.OwnID(model.NodeFile, "id", nodeID)
	if err != nil {
		return nil, err
	}
	return r.core.Query().File(ctx, key)
}

// Files returns a page of the caller's files.
func (r queryFields) Files(
	ctx context.Context, filter *model.FileFilter, order *schema.FileOrder, first *int, after *string, last *int, before *string,
) (*model.FileConnection, error) {
	args := connection(ctx, first, after, last, before)
	if order != nil {
		args.Order = orderBy(order.Field, order.Direction)
	}
	args.Search = model.Deref(filter).Text
	return r.core.OwnedFiles(ctx, model.Deref(filter), args)
}

// URL returns the public address of the file.
func (r fileFields) URL(_ context.Context, file *model.File) (string, error) {
	return r.core.FileURL(file), nil
}

// ReadURL returns an address at which the caller can read the file now.
func (r fileFields) ReadURL(ctx context.Context, file *model.File) (string, error) {
	return r.core.FileReadURL(ctx, file), nil
}

// ViewURL returns the address that a viewer should load.
func (r fileFields) ViewURL(ctx context.Context, file *model.File) (string, error) {
	return r.core.FileViewURL(ctx, file), nil
}

// PosterURL returns the address of the file's poster.
func (r fileFields) PosterURL(ctx context.Context, file *model.File) (*string, error) {
	return r.core.FilePosterURL(ctx, file), nil
}

// Posters returns the picture of the file in each size.
func (r fileFields) Posters(ctx context.Context, file *model.File) ([]*model.Poster, error) {
	return r.core.FilePosters(ctx, file), nil
}

// Turntable returns the poster of the file in motion.
func (r fileFields) Turntable(ctx context.Context, file *model.File) (*model.Turntable, error) {
	return r.core.FileTurntable(ctx, file), nil
}

// CollisionURL returns the address of the file's collision.
func (r fileFields) CollisionURL(ctx context.Context, file *model.File) (*string, error) {
	return r.core.FileCollisionURL(ctx, file), nil
}

// CreateUpload reserves storage for a file, and returns the address to which the client sends the
// bytes.
func (r mutationFields) CreateUpload(ctx context.Context, in model.CreateUpload) (*schema.CreateUploadPayload, error) {
	upload, err := r.core.Mutation().CreateUpload(ctx, in)
	if err != nil {
		return nil, err
	}
	return &schema.CreateUploadPayload{Upload: upload}, nil
}

// CompleteUpload confirms that the bytes were sent. It returns the file, or the job that stores it.
// A repeated call gets the same response.
func (r mutationFields) CompleteUpload(ctx context.Context, in schema.CompleteUploadInput) (*schema.CompleteUploadPayload, error) {
	confirmation, err := r.core.Mutation().CompleteUpload(ctx, model.CompleteUpload{Status: model.StatusSuccess, FileURL: in.FileURL})
	if err != nil {
		return nil, err
	}
	return &schema.CompleteUploadPayload{Confirmation: confirmation.Confirmed()}, nil
}

// statusFailed discards an upload, as any status except StatusSuccess does.
const statusFailed = "failed"

// AbandonUpload completes the upload with a status other than success, which frees its storage.
func (r mutationFields) AbandonUpload(ctx context.Context, in schema.AbandonUploadInput) (*schema.AbandonUploadPayload, error) {
	if _, err := r.core.Mutation().CompleteUpload(ctx, model.CompleteUpload{Status: statusFailed, FileURL: in.FileURL}); err != nil {
		return nil, err
	}
	return &schema.AbandonUploadPayload{AbandonedFileURL: in.FileURL}, nil
}

// UpdateFile sets the start of a file of the caller. Null restores the start that was found in the
// capture, and an absent start leaves the file unchanged.
func (r mutationFields) UpdateFile(ctx context.Context, in schema.UpdateFileInput) (*schema.UpdateFilePayload, error) {
	key, err := model.OwnID(model.NodeFile, "fileId", in.FileID)
	if err != nil {
		return nil, err
	}
	start, set := in.Start.ValueOK()
	file, err := r.core.Mutation().UpdateFile(ctx, model.UpdateFile{ResourceKey: key, SetStart: set, Start: start})
	if err != nil {
		return nil, err
	}
	return &schema.UpdateFilePayload{File: file}, nil
}

// DeleteFile deletes a file of the caller. Entities that show the file keep its address.
func (r mutationFields) DeleteFile(ctx context.Context, in schema.DeleteFileInput) (*schema.DeleteFilePayload, error) {
	key, err := model.OwnID(model.NodeFile, "fileId", in.FileID)
	if err != nil {
		return nil, err
	}
	if _, err := r.core.Mutation().DeleteFile(ctx, key); err != nil {
		return nil, err
	}
	return &schema.DeleteFilePayload{DeletedFileID: model.NodeID(model.NodeFile, key)}, nil
}

// decodeFileID replaces the GraphQL id of a file with its resource key.
func decodeFileID(id **string) error {
	if *id == nil {
		return nil
	}
	key, err := model.OwnID(model.NodeFile, "fileId", **id)
	*id = &key
	return err
}

// textOrEmpty returns the text of an input; the empty text for null, and nil where the
// client omits the field.
func textOrEmpty(text graphql.Omittable[*string]) *string {
	value, set := text.ValueOK()
	if set && value == nil {
		value = new(string)
	}
	return value
}
