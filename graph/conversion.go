package graph

import (
	"context"

	"portico/db"
	"portico/graph/access"
	"portico/model"
)

// ConvertFile starts a job that converts a file of the caller. The file itself does not change. If
// the same conversion is running, ConvertFile returns that job: a client that did not receive the
// response sends its request again.
//
// The result becomes a new file of the account. With in.ReplaceIn, an entity that shows the file shows
// the result when the job is completed, in the same transaction and as a version of the space. No
// storage is reserved: the worker does that when it knows the size of the result.
func (r Mutations) ConvertFile(ctx context.Context, in model.ConvertFile) (*model.Job, error) {
	file, err := r.access.OwnedFile(ctx, in.ResourceKey)
	if err != nil {
		return nil, err
	}
	edits, err := in.Check(file)
	if err != nil {
		return nil, err
	}
	findFile := func(key string) (*model.File, error) { return r.access.OwnedFile(ctx, key) }
	if err := in.CheckMerged(findFile); err != nil {
		return nil, err
	}
	replacement, err := r.checkReplaceIn(ctx, in.ReplaceIn, file)
	if err != nil {
		return nil, err
	}
	var job *model.Job
	err = r.db.InTx(ctx, func(tx *db.DB) (err error) {
		// The lock serialises simultaneous requests for the same file.
		if file, err = tx.Files().LockFile(ctx, file.UserID, in.ResourceKey); err != nil {
			return err
		}
		upload, conversion := model.NewConversion(file, in.To, edits)
		conversion.Replacement = replacement
		job, err = tx.Files().StartFileJob(ctx, upload, conversion)
		return err
	})
	if err != nil {
		return nil, err
	}
	return job, nil
}

// checkReplaceIn refuses an entity that the caller may not edit or that does not show the file. It
// returns what the job needs to replace the file in the entity; nil for no entity. The worker checks
// the entity again: see its function replace.
func (r *Resolver) checkReplaceIn(ctx context.Context, in *model.ReplaceIn, file *model.File) (*model.Replacement, error) {
	if in == nil {
		return nil, nil
	}
	space, err := r.access.EditableSpace(ctx, in.SpaceID)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	var entities map[string]*model.Entity
	if access.CheckFindable(in.EntityID) == nil {
		if entities, err = r.db.Entities().EntitiesOfSpace(ctx, space.ID, []string{in.EntityID}); err != nil {
			return nil, err
		}
	}
	if err := in.Check(entities[in.EntityID], r.FileURL(file)); err != nil {
		return nil, err
	}
	return &model.Replacement{ReplaceIn: *in, Door: model.OriginFrom(ctx).Door, LockToken: model.LockToken(ctx)}, nil
}

// ExtractCapture starts a job that makes a new file of one capture of a zip of the caller that has
// several. The zip stays. If the same job is running, ExtractCapture returns it.
func (r Mutations) ExtractCapture(ctx context.Context, in model.ExtractCapture) (job *model.Job, err error) {
	if _, err := r.access.OwnedFile(ctx, in.ResourceKey); err != nil {
		return nil, err
	}
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	err = r.db.InTx(ctx, func(tx *db.DB) error {
		file, err := tx.Files().LockFile(ctx, c.UserID, in.ResourceKey)
		if err != nil {
			return err
		}
		if err := in.Check(file); err != nil {
			return err
		}
		upload, extraction := model.NewExtraction(file, in.Name)
		job, err = tx.Files().StartFileJob(ctx, upload, extraction)
		return err
	})
	return job, err
}
