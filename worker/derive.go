package worker

import (
	"context"

	"portico/model"
	"portico/worker/child"
)

// derive converts a file on this machine into a view, a collision or posters, which viewers need in
// addition to the file. It returns a model.Error with CodeQuotaExceeded if the result is
// larger than the free storage of the file's owner. The storage is not locked during the upload of
// the result, which takes long, so the transaction that adds the result checks it again.
func (t *attemptTools) derive(ctx context.Context, file *model.File, c conversion) (*stagedResult, *child.Result, error) {
	output, result, err := t.convert(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	account, err := t.db.Storage(ctx, file.UserID)
	if err != nil {
		return nil, nil, err
	}
	if account.Free() < output.bytes {
		return nil, nil, &model.Error{Code: model.CodeQuotaExceeded, Message: model.QuotaExceeded}
	}
	return output, result, nil
}

// giveUpStep stores that a step of the file's preparation failed, and returns nil, if the file
// itself or its owner's storage is the cause: another attempt would fail in the same way. It
// returns every other error. Clients see the reason at the file.
func (t *attemptTools) giveUpStep(ctx context.Context, file *model.File, step model.PreparationStep, err error) error {
	reason := model.QuotaExceeded
	if fault, ok := asInputError(err); ok {
		reason = faultOf(fault, file)
	} else if model.CodeOf(err) != model.CodeQuotaExceeded {
		return err
	}
	t.log.Info("a step of the preparation was given up", "step", step, "error", reason)
	return t.db.SetFailure(ctx, file, step, reason)
}
