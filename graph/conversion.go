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
// The result becomes a new file of the account. No storage is reserved: the worker does that when
// it knows the size of the result.
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
	var job *model.Job
	err = r.db.InTx(ctx, func(tx *db.DB) (err error) {
		// The lock serialises simultaneous requests for the same file.
		if file, err = tx.Files().LockFile(ctx, file.UserID, in.ResourceKey); err != nil {
			return err
		}
		upload, conversion := model.NewConversion(file, in.To, edits)
		job, err = tx.Files().StartFileJob(ctx, upload, conversion)
		return err
	})
	if err != nil {
		return nil, err
	}
	return job, nil
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
