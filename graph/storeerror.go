package graph

import (
	"errors"

	"portico/model"
	"portico/storage"
)

// storeError returns the refusal that an error of the store means for a client, and any other error
// as it is. Call it wherever a resolver stores bytes.
//
// A full store is refused with 507 and not with an internal error, so that the client knows that
// the same request cannot succeed now. It is logged here, because the doors log internal errors
// only, and only the operator can make room.
func (r *Resolver) storeError(err error) error {
	if !errors.Is(err, storage.ErrFull) {
		return err
	}
	r.logger.Error("the storage of files is full", "error", err)
	return &model.Error{Code: model.CodeQuotaExceeded, Message: model.DiskFull, Err: err}
}
