package graph

import (
	"context"

	"portico/db"
	"portico/model"
)

// ConvertFile starts a job that converts a file of the caller. The file itself does not change. If
// the same conversion is running, ConvertFile returns that job: a client that did not receive the
// response sends its request again.
//
// The result becomes a new file of the account. No storage is reserved: the worker does that when
// it knows the size of the result.
func (r Mutations) ConvertFile(ctx context.Context, in model.ConvertFile) (*model.Job, error) {
	file, err := r.ownedFile(ctx, in.ResourceKey)
	if err != nil {
		return nil, err
	}
	edits, err := in.Check(file)
	if err != nil {
		return nil, err
	}
	findFile := func(key string) (*model.File, error) { return r.ownedFile(ctx, key) }
	if err := in.CheckMerged(findFile); err != nil {
		return nil, err
	}
	var job *model.Job
	err = r.db.InTx(ctx, func(tx *db.DB) (err error) {
		// The lock serialises simultaneous requests for the same file.
		if file, err = tx.LockFile(ctx, file.UserID, in.ResourceKey); err != nil {
			return err
		}
		job, err = tx.StartConversion(ctx, file, in.To, edits)
		return err
	})
	if err != nil {
		return nil, err
	}
	return job, nil
}
