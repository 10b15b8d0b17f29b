package worker

import (
	"context"
	"errors"
	"time"

	"portico/db"
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
	account, err := t.db.Accounts().Storage(ctx, file.UserID)
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
	return t.db.Files().SetFailure(ctx, file, step, reason)
}

// derivedFolder is a folder of the store in which one attempt stores one result that it has derived
// from a file or an upload: a view, posters, a collision or a converted file. No other attempt
// writes to it, so an attempt that fails can delete its folder at any time without harm to the
// result of another attempt, and an attempt that is late overwrites nothing.
//
// Its removal is recorded before its objects are stored, and canceled in the transaction that links
// the folder, which is to make the row of the file refer to its objects. So a process that is
// killed in between leaves nothing for ever, and a row never refers to objects that the purge
// deletes.
type derivedFolder struct {
	key  string // the resource key, which ends in a slash
	root string // the key in the store
}

// errFolderRemoved is the error of an attempt that took longer than model.DerivedUntil allows, for
// example because its machine was suspended. The purge has deleted the objects, or is about to.
var errFolderRemoved = errors.New("the purge has removed the result of an attempt that took too long")

// newDerivedFolder returns a folder with a name of its own, below a folder of the user's. parent is
// a resource key that ends in a slash.
func newDerivedFolder(userID, parent string) derivedFolder {
	key := parent + model.Token() + "/"
	return derivedFolder{key: key, root: userID + "/" + key}
}

// storeDerived stores a result in a new folder of its own, below the folder kind of the file's
// derived objects. After an error it deletes what it has stored.
func (t *attemptTools) storeDerived(
	ctx context.Context, file *model.File, kind string, output *stagedResult, progress func(done, total workload),
) (derivedFolder, error) {
	folder := newDerivedFolder(file.UserID, file.DerivedRoot()+kind)
	if err := t.db.Files().ScheduleRemovals(ctx, model.DerivedUntil(time.Now()), folder.root); err != nil {
		return folder, err
	}
	return folder, t.storeInFolder(ctx, folder, output, progress)
}

// storeInFolder stores a result in a folder whose removal is recorded. After an error it deletes
// what it has stored.
func (t *attemptTools) storeInFolder(
	ctx context.Context, folder derivedFolder, output *stagedResult, progress func(done, total workload),
) error {
	err := t.storeStaged(ctx, folder.root, output, progress)
	if err != nil {
		t.removeUnused(ctx, folder)
	}
	return err
}

// linkFolder links the folder in a transaction of its own: it calls link, which makes the row of a
// file refer to the objects in the folder, and reports whether it did. It deletes objects to which
// no row refers. With an error it returns false, although the row may refer to the objects if the
// response to the commit was lost.
func (t *attemptTools) linkFolder(ctx context.Context, folder derivedFolder, link func(tx *db.DB) (bool, error)) (linked bool, err error) {
	err = t.db.InTx(ctx, func(tx *db.DB) error {
		linked, err = folder.linkIn(ctx, tx, link)
		return err
	})
	if err == nil && linked {
		return true, nil
	}
	if !db.MayBeCommitted(err) {
		t.removeUnused(ctx, folder)
	}
	return false, err
}

// linkIn calls link in the transaction tx. If link made the row of a file refer to the folder, it
// cancels the removal of the folder.
func (f derivedFolder) linkIn(ctx context.Context, tx *db.DB, link func(tx *db.DB) (bool, error)) (linked bool, err error) {
	linked, err = link(tx)
	if err != nil || !linked {
		return false, err
	}
	err = f.cancelRemoval(ctx, tx)
	return err == nil, err
}

// cancelRemoval cancels the removal of the folder, in the transaction that makes a row refer to it.
func (f derivedFolder) cancelRemoval(ctx context.Context, tx *db.DB) error {
	kept, err := tx.Files().CancelRemoval(ctx, f.root)
	if err == nil && !kept {
		err = errFolderRemoved // rolls the transaction back
	}
	return err
}

// removeUnused deletes a folder to which no row refers, and frees its bytes in the owner's quota,
// even if ctx has ended. If that fails, the recorded removal deletes the folder later.
func (t *attemptTools) removeUnused(ctx context.Context, folder derivedFolder) {
	ctx, cancel := finishingContext(ctx)
	defer cancel()
	err := t.store.DeletePrefix(ctx, folder.root)
	if err == nil {
		err = t.db.Files().FinishSweep(ctx, folder.root, false) // this attempt was the only one that stores there
	}
	if err != nil {
		t.log.Warn("remove an unused result", "folder", folder.root, "error", err)
	}
}
