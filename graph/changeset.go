package graph

import (
	"bytes"
	"context"
	"errors"
	"time"

	"portico/db"
	"portico/model"
)

// ApplyChanges changes the files of a space of the caller: all of them, or none.
//
// The steps, and what a crash or an error after each leaves:
//
//	plan the changes                  nothing
//	hash the uploaded files           nothing
//	merge the plugin folders          nothing
//	store the other files             uploads of the account without a path, which discardFiles deletes
//	change the rows                   everything or nothing: one transaction
//	response to the commit is lost    everything, or uploads of the account without a path
//
// A stored file also remains if StoreUpload cannot find out whether it stored it.
//
// A dry run does all of it except storing, and rolls the transaction back, so it finds every
// conflict and every invalid entity, but not that the files exceed the storage.
func (r Mutations) ApplyChanges(ctx context.Context, in model.ChangeSet) (*model.ChangeResult, error) {
	space, err := r.access.EditableSpace(ctx, in.SpaceID)
	if err != nil {
		return nil, err
	}
	plan, err := planChanges(space, in, r.settings)
	if err != nil {
		return nil, err
	}
	if err := r.allowRoomPrivacy(ctx, plan); err != nil {
		return nil, err
	}
	// Hashing large uploads takes seconds, so it happens before the slot is acquired.
	if err := r.hashUploaded(ctx, plan); err != nil {
		return nil, err
	}
	slot, err := r.changeSlots.Wait(ctx, space.OwnerID, 1, nil)
	if err != nil {
		return nil, err
	}
	defer slot.Leave()
	if err := r.limiter.TakeWrite(ctx, space.OwnerID); err != nil {
		return nil, err
	}
	written := 0
	for _, entity := range plan.entities {
		written += max(entityBytes(entity), minWritten)
	}
	r.countWritten(ctx, space.OwnerID, written) // a dry run writes the rows too, and a refused change set may
	return r.apply(ctx, plan)
}

// errDryRun rolls back the transaction of a dry run.
var errDryRun = errors.New("dry run")

// apply carries out the plan. It stores the bytes of files before the transaction, which must not
// wait for the store, and deletes them if the transaction fails. After a commit that may have taken
// effect it deletes nothing: with the files, the space would lose its new plugins and assets.
func (r *Resolver) apply(ctx context.Context, plan *changePlan) (*model.ChangeResult, error) {
	// This first read only saves storing files that the space has. The read in the transaction
	// decides: see checkUnchanged.
	filesBefore, err := spaceFiles(ctx, r.db, plan.space.ID)
	if err != nil {
		return nil, err
	}
	if err := r.mergeFolders(ctx, plan, filesBefore); err != nil {
		return nil, err
	}
	if _, err := plan.entitiesWithAddresses(filesBefore, r.urlOf(plan.space)); err != nil {
		return nil, err
	}
	if err := r.storeFiles(ctx, plan, filesBefore); err != nil {
		r.discardFiles(ctx, plan)
		return nil, err
	}
	result := &model.ChangeResult{DryRun: plan.isDryRun}
	err = r.db.History().AsChangeSet(ctx, 0, func(tx *db.DB) error {
		return r.applyRows(ctx, tx, plan, result)
	})
	switch {
	case err == nil, errors.Is(err, errDryRun):
		return result, nil
	case db.MayBeCommitted(err):
		return nil, err
	}
	r.discardFiles(ctx, plan)
	return nil, err
}

// applyRows is the transaction of apply.
//
// It also reads the content that the result returns. After the commit another editor may have
// changed the space, and an error of that read would look as if nothing had been changed.
func (r *Resolver) applyRows(ctx context.Context, tx *db.DB, plan *changePlan, result *model.ChangeResult) error {
	var err error
	if plan.space, err = lockEditableSpace(ctx, tx, plan.space.ID); err != nil {
		return err
	}
	filesBefore, err := spaceFiles(ctx, tx, plan.space.ID)
	if err != nil {
		return err
	}
	for _, check := range []func(map[string]*model.SpaceFile) error{plan.checkUnchanged, plan.checkFolders, plan.checkFolderNames} {
		if err := check(filesBefore); err != nil {
			return err
		}
	}
	if plan.entities, err = plan.entitiesWithAddresses(filesBefore, r.urlOf(plan.space)); err != nil {
		return err
	}
	if err := r.applyEntities(ctx, tx, plan, filesBefore, result); err != nil {
		return err
	}
	if err := plan.applyRoom(ctx, tx, result); err != nil {
		return err
	}
	if err := r.applyFiles(ctx, tx, plan, filesBefore, result); err != nil {
		return err
	}
	if plan.isDryRun {
		return errDryRun
	}
	if plan.returnsContent {
		result.Content, err = spaceContent(ctx, tx, plan.space)
	}
	return err
}

// applyEntities writes and deletes the entities of the plan.
//
// The order: lock the entities, compare what the client expects, check gates, write, delete. All
// locks are taken before the first comparison, so what was compared cannot change before the
// commit.
func (r *Resolver) applyEntities(ctx context.Context, tx *db.DB, p *changePlan, filesBefore map[string]*model.SpaceFile, result *model.ChangeResult) error {
	ids := p.entityIDs()
	var types map[string]string
	var err error
	if len(ids) > 0 {
		if types, err = tx.Entities().LockEntities(ctx, p.space.ID, ids); err != nil {
			return err
		}
	}
	if err := r.checkExpected(ctx, tx, p, filesBefore); err != nil {
		return err
	}
	if err := p.checkGates(types); err != nil {
		return err
	}
	// A dry run returns the content that the space keeps, so it is read before the writes, and after
	// the comparison, so that both are of the same entities.
	if p.isDryRun && p.returnsContent {
		if result.Content, err = spaceContent(ctx, tx, p.space); err != nil {
			return err
		}
	}
	if len(p.entities) > 0 {
		created, err := tx.Entities().ReplaceEntities(ctx, p.space.ID, p.entities)
		if err != nil {
			return err
		}
		if err := p.checkCreated(created); err != nil {
			return err
		}
		result.Applied = append(result.Applied, p.appliedEntities(created)...)
	}
	var deleted []string
	for _, id := range p.deletedEntities {
		if _, exists := types[id]; exists {
			deleted = append(deleted, id)
			result.Applied = append(result.Applied, model.AppliedChange{Op: model.OpDeleteEntity, Target: id})
		}
	}
	if len(deleted) == 0 {
		return nil
	}
	return tx.Entities().DeleteEntities(ctx, p.space.ID, deleted)
}

// appliedEntities returns the changes of the entities that were written, in the order of the plan.
// Entities with equal data are not in created and do not count as changes.
func (p *changePlan) appliedEntities(created map[string]bool) (applied []model.AppliedChange) {
	for _, entity := range p.entities {
		isNew, ok := created[entity.EntityID]
		op := model.OpUpdateEntity
		switch {
		case !ok:
			continue
		case entity.EntityID == model.RoomInfoID:
			op = model.OpUpdateRoom
		case isNew:
			op = model.OpCreateEntity
		}
		applied = append(applied, model.AppliedChange{Op: op, Target: entity.EntityID})
	}
	return applied
}

// spaceFiles returns the plugins and assets of a space by path.
func spaceFiles(ctx context.Context, database *db.DB, spaceID string) (map[string]*model.SpaceFile, error) {
	files, err := database.Spaces().SpaceFiles(ctx, spaceID)
	filesBefore := make(map[string]*model.SpaceFile, len(files))
	for _, file := range files {
		filesBefore[file.Path] = file
	}
	return filesBefore, err
}

// storeFiles moves the files that the space has already to plan.unchanged, and stores the bytes of
// the others as files of the caller. Each file goes through StoreUpload, by the rules of an upload:
// formats, sizes and the quota of the caller.
func (r *Resolver) storeFiles(ctx context.Context, plan *changePlan, filesBefore map[string]*model.SpaceFile) error {
	var changed []*plannedFile
	for _, file := range plan.files {
		if stored := filesBefore[file.Path]; stored == nil || stored.SHA256 != file.SHA256 {
			changed = append(changed, file)
		} else {
			plan.unchanged = append(plan.unchanged, file)
		}
	}
	plan.files = changed
	if plan.isDryRun {
		return nil
	}
	for _, file := range plan.files {
		if file.isUploaded {
			continue
		}
		stored, err := r.storePlanned(ctx, file)
		if model.CodeOf(err) == model.CodeInvalid {
			return model.ChangeFaults{{File: model.SpaceFolder + file.Path, Message: model.AsError(err).Message}}.Refusal()
		}
		if err != nil {
			return err
		}
		file.ResourceKey = stored.ResourceKey
	}
	return nil
}

// storePlanned stores a plugin or an asset as a file of the caller.
func (r *Resolver) storePlanned(ctx context.Context, file *plannedFile) (*model.File, error) {
	if file.folder != nil {
		return r.storeFolder(ctx, file)
	}
	in := model.CreateUpload{FileName: file.name(), FileSize: model.FileSize(len(file.content))}
	stored, err := r.StoreUpload(ctx, in, bytes.NewReader(file.content))
	if err != nil {
		return nil, err
	}
	return stored.File, nil
}

// discardFiles deletes the files that were stored for a plan that failed. It goes on after the end
// of ctx, because a client that has disconnected is a reason to discard.
//
// It deletes the rows of all files before the first object, because a store that does not respond
// uses up the time. Then no file stays with the account, and the recorded removals delete the
// objects.
//
// It only logs its errors: the response to the client is why the plan failed. It records no event,
// because the owner has never seen the files.
func (r *Resolver) discardFiles(ctx context.Context, plan *changePlan) {
	uploads := map[*model.File]*model.Upload{}
	started := time.Now()
	for _, planned := range plan.files {
		if planned.ResourceKey == "" || planned.isUploaded {
			continue
		}
		file, upload, err := r.discardRow(ctx, planned.ResourceKey)
		if err != nil {
			r.logger.Warn("delete a file of a failed change set", "resource_key", planned.ResourceKey, "error", err)
		}
		if err != nil && time.Since(started) > discardTimeout {
			break // the database does not respond, so each further file would take as long
		}
		if err == nil {
			uploads[file] = upload
		}
	}
	ctx, cancel := discardContext(ctx)
	defer cancel()
	for file, upload := range uploads {
		r.removeDeletedFile(ctx, file, upload)
	}
}

// discardRow deletes the row of a file that was stored for a plan that failed. The time is limited
// for each row, because a change set may have thousands of files.
func (r *Resolver) discardRow(ctx context.Context, resourceKey string) (*model.File, *model.Upload, error) {
	ctx, cancel := discardContext(ctx)
	defer cancel()
	file, err := r.access.OwnedFile(ctx, resourceKey)
	if err != nil {
		return nil, nil, err
	}
	upload, err := r.deleteFileRow(ctx, file, func(*db.DB) error { return nil })
	return file, upload, err
}

// applyFiles writes the plugins and assets of the plan to the database. Entities that name the old
// file of a path name the new one afterwards. A path keeps its place: the row of the path gets
// another file, and the file before stays with the account.
func (r *Resolver) applyFiles(
	ctx context.Context, tx *db.DB, plan *changePlan, filesBefore map[string]*model.SpaceFile, result *model.ChangeResult,
) error {
	space, moved := plan.space, map[string]string{}
	for _, file := range plan.files {
		result.Applied = append(result.Applied, model.PutOp(file.Path))
		if plan.isDryRun {
			continue
		}
		if err := tx.Spaces().PutSpaceFile(ctx, &file.SpaceFile); err != nil {
			return err
		}
		if before := filesBefore[file.Path]; before != nil {
			moved[r.SpaceFileURL(space, before)] = r.SpaceFileURL(space, &file.SpaceFile)
		}
	}
	if err := replaceAddresses(ctx, tx, space.ID, moved); err != nil {
		return err
	}
	for _, name := range plan.deletedFiles {
		if filesBefore[name] == nil {
			continue
		}
		result.Applied = append(result.Applied, model.DeleteOp(name))
		if err := tx.Spaces().DeleteSpaceFile(ctx, space.ID, name); err != nil {
			return err
		}
	}
	return nil
}
