package graph

import (
	"context"

	"portico/graph/access"
	"portico/model"
)

// CreateAvatar stores an avatar of the caller from files of the caller, and assigns it if the input
// says so. The same figure again replaces the avatar.
func (r Mutations) CreateAvatar(ctx context.Context, in model.CreateAvatar) (*model.Avatar, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	files, err := r.access.OwnedFilesByKey(ctx, in.Keys())
	if err != nil {
		return nil, err
	}
	if err := in.CheckFiles(files); err != nil {
		return nil, err
	}
	avatar := model.NewAvatar(c.UserID, in, files[in.GLB])
	return avatar, r.db.Accounts().PutAvatar(ctx, avatar)
}

// DeleteAvatar deletes an avatar of the caller. Its files stay until they are deleted.
func (r Mutations) DeleteAvatar(ctx context.Context, id string) error {
	avatar, err := r.access.OwnedAvatar(ctx, id)
	if err != nil {
		return err
	}
	return r.db.Accounts().DeleteAvatar(ctx, avatar.UserID, avatar.ID)
}

// Avatars returns the avatars of the caller, newest first.
func (r Queries) Avatars(ctx context.Context) ([]*model.Avatar, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	return r.db.Accounts().Avatars(ctx, c.UserID)
}

// AllAvatars returns the avatars of the caller's own account; nil for other accounts.
func (r *Resolver) AllAvatars(ctx context.Context, userID string) ([]*model.Avatar, error) {
	return access.OfOwnAccount(ctx, userID, r.db.Accounts().Avatars)
}

// AvatarURL returns the public address of the figure of an avatar.
func (r *Resolver) AvatarURL(avatar *model.Avatar) string {
	return r.store.PublicURL(avatar.StorageKey(avatar.GLB))
}

// AccountImages returns the address of the figure of the account's avatar and the address of its
// picture. Each is the address of the picture of the account where the avatar has none, and empty
// where there is no picture either.
func (r *Resolver) AccountImages(ctx context.Context, userID string) (avatarURL, imageURL string, err error) {
	keys, err := r.db.Accounts().AccountPictures(ctx, []string{userID})
	if err != nil {
		return "", "", err
	}
	imageURL = model.Deref(r.PictureURL(keys[userID]))
	avatar, err := r.db.Accounts().AssignedAvatar(ctx, userID)
	if err != nil || avatar == nil {
		return imageURL, imageURL, err
	}
	if avatar.Thumbnail != "" {
		imageURL = r.store.PublicURL(avatar.StorageKey(avatar.Thumbnail))
	}
	return r.AvatarURL(avatar), imageURL, nil
}

// FilesOfAvatars returns the loader of one file of each avatar of a list; nil where there is none.
func (r *Resolver) FilesOfAvatars(key func(*model.Avatar) string) func(context.Context, []*model.Avatar) (map[*model.Avatar]*model.File, error) {
	return func(ctx context.Context, avatars []*model.Avatar) (map[*model.Avatar]*model.File, error) {
		keys := map[*model.Avatar]string{}
		for _, avatar := range avatars {
			if name := key(avatar); name != "" {
				keys[avatar] = name
			}
		}
		return filesByKey(ctx, r, keys)
	}
}
