package graph

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/graph/batch"
	"portico/model"
	"portico/storage"
)

// DuplicateSpace copies a space with its entities: a space of the caller, or one whose owner allows
// copies. The copy is Private.
//
// A copy of a space of the caller shows the same files. A copy of another's space gets copies of the
// files: the other account may delete its files, or make the space Private, and then its files must not
// be read any more. So neither account depends on the other.
func (r Mutations) DuplicateSpace(ctx context.Context, in model.DuplicateSpace) (*model.Space, error) {
	bytes := 0
	return writeJSON(ctx, r.Resolver, func(space *model.Space) int { return bytes + spaceBytes(space) }, func() (space *model.Space, err error) {
		space, bytes, err = r.duplicateSpace(ctx, in)
		return space, err
	})
}

// duplicateSpace is DuplicateSpace without the limit of written bytes. It returns how many bytes of
// entities it has written.
func (r Mutations) duplicateSpace(ctx context.Context, in model.DuplicateSpace) (_ *model.Space, bytes int, err error) {
	source, err := r.access.CopyableSpace(ctx, in.SpaceID)
	if err != nil {
		return nil, 0, err
	}
	if err := in.Validate(); err != nil {
		return nil, 0, err
	}
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, 0, err
	}
	entities, size, err := r.db.Spaces().CopiedSize(ctx, source.ID)
	if err != nil {
		return nil, 0, err
	}
	if entities > model.MaxCopiedEntities || size > model.MaxCopiedJSON {
		return nil, 0, model.Invalidf("A space with more than %d entities, or %d MB of them, cannot be copied", model.MaxCopiedEntities, model.MaxCopiedJSON>>20)
	}
	slot, err := r.changeSlots.Wait(ctx, c.UserID, 1, nil)
	if err != nil {
		return nil, 0, err
	}
	defer slot.Leave()
	d := db.Duplicate{Source: source, Space: model.NewDuplicate(source, c.UserID, in)}
	if !access.Owns(c, source) {
		if d.Files, err = r.filesToCopy(ctx, source, c.UserID); err != nil {
			return nil, 0, err
		}
		d.Space.Rename(d.Files)
	}
	err = r.copyFiles(ctx, d.Files)
	if err == nil {
		err = r.addDuplicate(ctx, d)
	}
	if err != nil {
		if !db.MayBeCommitted(err) {
			r.discardCopies(ctx, d.Files)
		}
		return nil, 0, err
	}
	return d.Space, int(size), nil
}

// addDuplicate stores the rows of a copy. The owner of the source may have taken the permission back
// while its files were copied.
func (r *Resolver) addDuplicate(ctx context.Context, d db.Duplicate) error {
	return r.db.InTx(ctx, func(tx *db.DB) error {
		source, err := tx.Spaces().SpaceForUpdate(ctx, d.Source.ID)
		if err != nil {
			return err
		}
		if !access.MayCopy(access.ReaderFrom(ctx), source) {
			return model.Forbidden(access.CopyForbidden)
		}
		return tx.Spaces().AddDuplicate(ctx, d)
	})
}

// filesToCopy returns the files that a copy of another's space needs, without plugins. It refuses more
// than a request can copy, and more than the account has room for, before any byte is copied.
func (r *Resolver) filesToCopy(ctx context.Context, source *model.Space, userID string) (copies []model.CopiedFile, err error) {
	files, uploads, err := r.db.Spaces().FilesToCopy(ctx, source, model.MaxCopiedFiles+1)
	if err != nil {
		return nil, err
	}
	var bytes int64
	for _, file := range files {
		if file.IsPlugin() {
			continue
		}
		copied := model.NewCopiedFile(file, uploads[file.ResourceKey], userID)
		copies, bytes = append(copies, copied), bytes+copied.Bytes()
	}
	if len(files) > model.MaxCopiedFiles || bytes > model.MaxCopiedBytes {
		return nil, model.Invalidf("A space of another account with more than %d files, or %d GB of them, cannot be copied",
			model.MaxCopiedFiles, model.MaxCopiedBytes>>30)
	}
	free, err := r.db.Accounts().Storage(ctx, userID)
	if err != nil {
		return nil, err
	}
	return copies, checkFree(bytes, free)
}

// copyGrace is longer than any request copies files: afterwards the objects of a copy without rows are
// removed.
const copyGrace = 24 * time.Hour

// copyFiles copies the objects of files in the store. Their removal is scheduled before, so that a
// process that dies leaves nothing behind; the transaction that adds the rows undoes it.
func (r *Resolver) copyFiles(ctx context.Context, files []model.CopiedFile) error {
	for _, file := range files {
		roots := file.Roots()
		for _, to := range roots {
			if err := r.db.Files().ScheduleRemovals(ctx, time.Now().Add(copyGrace), to); err != nil {
				return err
			}
		}
		for from, to := range roots {
			err := r.duplicateObjects(ctx, from, to)
			if errors.Is(err, storage.ErrNotFound) {
				err = &model.Error{Code: model.CodeConflict, Reason: model.ReasonStale, Message: "A file of the space was deleted while it was copied. Try again", Err: err}
			}
			if err != nil {
				return r.storeError(err)
			}
		}
	}
	return nil
}

// duplicateObjects copies an object, or all objects below a folder.
func (r *Resolver) duplicateObjects(ctx context.Context, from, to string) error {
	if !strings.HasSuffix(from, "/") {
		return r.duplicateObject(ctx, from, to)
	}
	for object, err := range r.store.List(ctx, from) {
		if err != nil {
			return fmt.Errorf("list the files to copy: %w", err)
		}
		if err := r.duplicateObject(ctx, object.Key, to+strings.TrimPrefix(object.Key, from)); err != nil {
			return err
		}
	}
	return nil
}

func (r *Resolver) duplicateObject(ctx context.Context, from, to string) error {
	content, err := r.store.Open(ctx, from)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // was only read
	_, err = r.store.Put(ctx, to, content)
	return err
}

// discardCopies deletes the objects of a copy that was refused. What it cannot delete, the recorded
// removals delete later.
func (r *Resolver) discardCopies(ctx context.Context, files []model.CopiedFile) {
	discarding, cancel := discardContext(ctx)
	defer cancel()
	for _, file := range files {
		for _, key := range file.Roots() {
			remove := r.objects.Remove
			if strings.HasSuffix(key, "/") {
				remove = r.objects.RemoveFolder
			}
			if err := remove(discarding, key); err != nil {
				r.logger.Warn("remove the files of a copy that was refused", "key", key, "error", err)
			}
		}
	}
}

// Origins returns the spaces that these are remixes of, of those that the caller may find. The id of a
// Link Only space is its secret, so a copy does not show it.
func (r *Resolver) Origins(ctx context.Context, spaces []*model.Space) (map[*model.Space]*model.Space, error) {
	return batch.ByKey(spaces, func(space *model.Space) string { return space.OriginID }, func(ids []string) (map[string]*model.Space, error) {
		found, err := r.db.Spaces().SpacesByID(ctx, ids)
		reader := access.ReaderFrom(ctx)
		maps.DeleteFunc(found, func(_ string, space *model.Space) bool { return !access.MayFind(reader, space) })
		return found, err
	})
}

// origin is Origins of one space.
func (r *Resolver) origin(ctx context.Context, space *model.Space) (*model.Space, error) {
	if space.OriginID == "" {
		return nil, nil
	}
	origins, err := r.Origins(ctx, []*model.Space{space})
	return origins[space], err
}
