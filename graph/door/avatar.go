package door

import (
	"context"

	"portico/graph/batch"
	"portico/graph/schema"
	"portico/model"
)

// Avatars returns the avatars of the caller's own account; nil for other accounts.
func (r userFields) Avatars(ctx context.Context, user *model.Profile) ([]*model.Avatar, error) {
	return r.core.AllAvatars(ctx, user.ID)
}

// URL returns the public address of the figure.
func (r avatarFields) URL(_ context.Context, avatar *model.Avatar) (string, error) {
	return r.core.AvatarURL(avatar), nil
}

// Glb returns the file of the figure.
func (r avatarFields) Glb(ctx context.Context, avatar *model.Avatar) (*model.File, error) {
	return batch.Load(ctx, avatar, "glb", r.core.FilesOfAvatars(func(a *model.Avatar) string { return a.GLB }))
}

// Splat returns the file of the capture.
func (r avatarFields) Splat(ctx context.Context, avatar *model.Avatar) (*model.File, error) {
	return batch.Load(ctx, avatar, "splat", r.core.FilesOfAvatars(func(a *model.Avatar) string { return a.Splat }))
}

// Binding returns the file that binds the capture to the figure.
func (r avatarFields) Binding(ctx context.Context, avatar *model.Avatar) (*model.File, error) {
	return batch.Load(ctx, avatar, "binding", r.core.FilesOfAvatars(func(a *model.Avatar) string { return a.Binding }))
}

// Fit returns the file that places the capture on the figure.
func (r avatarFields) Fit(ctx context.Context, avatar *model.Avatar) (*model.File, error) {
	return batch.Load(ctx, avatar, "fit", r.core.FilesOfAvatars(func(a *model.Avatar) string { return a.Fit }))
}

// Thumbnail returns the file of the picture; nil for none.
func (r avatarFields) Thumbnail(ctx context.Context, avatar *model.Avatar) (*model.File, error) {
	return batch.Load(ctx, avatar, "thumbnail", r.core.FilesOfAvatars(func(a *model.Avatar) string { return a.Thumbnail }))
}

// CreateAvatar stores an avatar of the caller.
func (r mutationFields) CreateAvatar(ctx context.Context, in model.CreateAvatar) (*schema.CreateAvatarPayload, error) {
	if err := decodeAvatarFiles(&in); err != nil {
		return nil, err
	}
	avatar, err := r.core.Mutation().CreateAvatar(ctx, in)
	if err != nil {
		return nil, err
	}
	return &schema.CreateAvatarPayload{Avatar: avatar}, nil
}

// decodeAvatarFiles replaces the GraphQL ids of the files with their resource keys.
func decodeAvatarFiles(in *model.CreateAvatar) error {
	files := map[string]*string{"glb": &in.GLB, "splat": &in.Splat, "binding": &in.Binding, "fit": &in.Fit}
	if in.Thumbnail != nil {
		files["thumbnail"] = in.Thumbnail
	}
	for field, id := range files {
		key, err := model.OwnID(model.NodeFile, field, *id)
		if err != nil {
			return err
		}
		*id = key
	}
	return nil
}

// DeleteAvatar deletes an avatar of the caller.
func (r mutationFields) DeleteAvatar(ctx context.Context, in schema.DeleteAvatarInput) (*schema.DeleteAvatarPayload, error) {
	if err := r.core.Mutation().DeleteAvatar(ctx, in.AvatarID); err != nil {
		return nil, err
	}
	return &schema.DeleteAvatarPayload{DeletedAvatarID: in.AvatarID}, nil
}
