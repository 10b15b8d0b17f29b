package graph

import (
	"context"

	"portico/db"
	"portico/graph/access"
	"portico/model"
	"portico/splat/experience"
)

// Space returns a space that the caller may read, and counts no visit. It is for requests that do
// not show the space to a person: clients read its headers, or read its lock again and again until
// the lock ends.
func (r Queries) Space(ctx context.Context, id string) (*model.Space, error) {
	return r.access.ReadableSpaceWithKey(ctx, id)
}

// TouchedAt returns when the space or one of its entities last changed.
func (r *Resolver) TouchedAt(space *model.Space) model.Time { return r.db.TouchedAt(space) }

// Spaces returns a page of the caller's spaces, newest first.
func (r Queries) Spaces(ctx context.Context, search *string, first *int, after *string) (*model.SpaceConnection, error) {
	return r.OwnedSpaces(ctx, model.SpaceFilter{}, model.PageArgs{Limit: first, Cursor: model.Deref(after), Search: model.Deref(search)})
}

// OwnedSpaces returns a page of the caller's spaces that pass the filter.
func (r *Resolver) OwnedSpaces(ctx context.Context, filter model.SpaceFilter, args model.Pager) (*model.SpaceConnection, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return r.db.Spaces().SpacesOf(ctx, c.UserID, filter, page)
}

// PublicSpaces returns a page of the Public spaces of all accounts, newest first. It needs
// no caller.
func (r *Resolver) PublicSpaces(ctx context.Context, filter model.SpaceFilter, args model.Pager) (*model.SpaceConnection, error) {
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return r.db.Spaces().PublicSpaces(ctx, filter, page)
}

// CreateSpace creates a space, empty or from a file, with the entities of its type. By default it
// is Private and infinite, and its title is the name of its file.
//
// The rows are one transaction. A file that is deleted in between leaves an entity with a dead
// address, as after any deletion of a shown file.
func (r Mutations) CreateSpace(ctx context.Context, in model.CreateSpace) (*model.Space, error) {
	return writeJSON(ctx, r.Resolver, spaceBytes, func() (*model.Space, error) { return r.createSpace(ctx, in) })
}

// createSpace is CreateSpace without the limit of written bytes.
func (r Mutations) createSpace(ctx context.Context, in model.CreateSpace) (*model.Space, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if err := r.allowPrivacy(ctx, c.UserID, in.Privacy); err != nil {
		return nil, err
	}
	file, err := r.fileToShow(ctx, in.ResourceKey)
	if err != nil {
		return nil, err
	}
	space := model.NewSpace(c.UserID, in, file)
	entities, err := r.firstEntities(ctx, r.db, space, file)
	if err != nil {
		return nil, err
	}
	if err := r.db.Spaces().AddSpace(ctx, space, entities); err != nil {
		return nil, err
	}
	return space, nil
}

// firstEntities returns the entities of a new space: RoomInfo, the static gates of a hub,
// the entity that shows its file, and what the settings that came with the file become.
func (r *Resolver) firstEntities(ctx context.Context, rows *db.DB, space *model.Space, file *model.File) ([]*model.Entity, error) {
	room := model.NewRoomInfo(space.ID, nil)
	entities := []*model.Entity{room}
	if space.Type == model.SpaceHub {
		for _, id := range model.StaticGateIDs {
			entities = append(entities, model.NewEntity(space.ID, id, model.TypeGate, model.NewGateData()))
		}
	}
	if file == nil {
		return entities, nil
	}
	data := file.DefaultData().With(r.shownFileData(file))
	entities = append(entities, model.NewEntity(space.ID, model.NewModelID(), model.TypeUserModel, data))
	content, err := rows.Splats().Settings(ctx, file.UploadID)
	if err != nil || content == nil {
		return entities, err
	}
	// Settings that only an earlier version could read are left out.
	if settings, err := experience.Read(content); err == nil {
		frame := experience.FrameOf(data)
		room.Data = settings.Room(frame)
		for _, entity := range settings.Entities(frame, model.NewModelID) {
			entities = append(entities, model.NewEntity(space.ID, entity.ID, entity.Type, entity.Data))
		}
	}
	return entities, nil
}

// shownFileData returns the entity_data that shows the file.
func (r *Resolver) shownFileData(file *model.File) model.Object {
	return model.NewGLBURL(r.store.PublicURL(file.StorageKey()))
}

// UpdateSpace changes the fields of a space of the caller that the input sets.
//
// The title of an update cannot be empty (API section 2), so a blank one becomes the default.
func (r Mutations) UpdateSpace(ctx context.Context, in model.UpdateSpace) (*model.Space, error) {
	return writeJSON(ctx, r.Resolver, spaceBytes, func() (*model.Space, error) { return r.updateSpace(ctx, in) })
}

// updateSpace is UpdateSpace without the limit of written bytes.
func (r Mutations) updateSpace(ctx context.Context, in model.UpdateSpace) (*model.Space, error) {
	space, err := r.access.OwnedSpace(ctx, in.SpaceID)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if err := r.allowPrivacy(ctx, space.OwnerID, in.Privacy); err != nil {
		return nil, err
	}
	if in.Title != nil && model.IsBlank(*in.Title) {
		title, err := r.defaultTitle(ctx, space.OwnerID, in.SpaceID)
		if err != nil {
			return nil, err
		}
		in.Title = &title
	}
	if in.Privacy != nil {
		const informFollowers = false // only the operation UpdateSpacePrivacy offers it
		space, err = r.db.Spaces().UpdateSpacePrivacy(ctx, in, informFollowers)
	} else {
		space, err = r.db.Spaces().UpdateSpace(ctx, in)
	}
	return space, r.explainMissing(ctx, in, err)
}

// explainMissing returns the refusal of a change that found no space with the expected version,
// with the current space. It returns other causes unchanged.
func (r *Resolver) explainMissing(ctx context.Context, in model.UpdateSpace, cause error) error {
	if in.ExpectedVersion == nil || model.CodeOf(cause) != model.CodeNotFound {
		return cause
	}
	space, err := r.db.Spaces().Space(ctx, in.SpaceID)
	if err != nil {
		return err
	}
	return model.Conflict(model.ReasonStale, "The space has changed since it was read", space)
}

// defaultTitle returns the title that an empty title is replaced with, as at the creation of the
// space: the name of the file that the space shows, otherwise UntitledSpace.
func (r *Resolver) defaultTitle(ctx context.Context, userID, spaceID string) (string, error) {
	address, err := r.db.Entities().ShownAddress(ctx, spaceID)
	if err != nil {
		return "", err
	}
	key, _ := r.store.KeyOf(address)
	resourceKey := access.OwnedKey(userID, key)
	if resourceKey == "" { // it shows no file, or a file of another server
		return model.UntitledSpace, nil
	}
	file, err := r.db.Files().FileOf(ctx, userID, resourceKey)
	if model.CodeOf(err) == model.CodeNotFound {
		return model.UntitledSpace, nil
	}
	if err != nil {
		return "", err
	}
	return file.Title(), nil
}

// DeleteSpace deletes a space with its entities and returns its id.
//
// A lock of another editor does not prevent it: the lock is for the content, and the owner may
// always delete. The files that the space showed stay with the account.
func (r Mutations) DeleteSpace(ctx context.Context, id string) (string, error) {
	space, err := r.access.OwnedSpace(ctx, id)
	if err != nil {
		return "", err
	}
	return id, r.db.InTx(ctx, func(tx *db.DB) error {
		found, err := tx.Spaces().DeleteSpace(ctx, id)
		if err == nil && !found { // another request has deleted it
			err = model.NotFound(model.SpaceNotFound)
		}
		if err != nil {
			return err
		}
		event := model.NewSecurityEvent(ctx, model.EventSpaceDeleted, space.OwnerID).WithSubject(id, space.Title)
		return tx.Audit().AddSecurityEvent(ctx, event)
	})
}
