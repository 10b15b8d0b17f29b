package graph

import (
	"context"
	"fmt"
	"strings"

	"portico/db"
	"portico/model"
)

// RestoreVersion sets the content of a space of the caller to its state after a version: all of it,
// or nothing. This is a new version, by the rules of a change set.
//
// Locks: the space, then the history of the account. RecordVersions locks them the other way round,
// but the space with KEY SHARE only, which does not wait for the lock here.
//
// It first records the changes until now outside of the transaction: that removes old versions of a
// full account, so that they do not prevent the restore.
func (r Mutations) RestoreVersion(ctx context.Context, spaceID string, number int) (*model.ChangeResult, error) {
	space, err := r.access.EditableSpace(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	slot, err := r.changeSlots.Wait(ctx, space.OwnerID, 1, nil)
	if err != nil {
		return nil, err
	}
	defer slot.Leave()
	if err := r.recordHistory(ctx, r.db, space.ID); err != nil {
		return nil, err
	}
	if err := r.limiter.TakeWrite(ctx, space.OwnerID); err != nil {
		return nil, err
	}
	result := &model.ChangeResult{}
	err = r.db.History().AsChangeSet(ctx, number, func(tx *db.DB) error {
		if _, err := lockEditableSpace(ctx, tx, space.ID); err != nil {
			return err
		}
		if err := r.checkVersions(ctx, tx, space.ID, number, number); err != nil {
			return err
		}
		changes, err := tx.History().ChangesSince(ctx, space.ID, number, model.MaxExport)
		if err != nil {
			return err
		}
		written := 0
		for _, change := range changes {
			written += max(len(change.Before), minWritten)
		}
		r.countWritten(ctx, space.OwnerID, written)
		return r.restore(ctx, tx, space, changes, result)
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// restore reverts the changes.
func (r *Resolver) restore(ctx context.Context, tx *db.DB, space *model.Space, changes []*model.SpaceChange, result *model.ChangeResult) error {
	plan, files, err := planRestore(space, changes)
	if err != nil {
		return err
	}
	if err := r.applyEntities(ctx, tx, plan, nil, result); err != nil {
		return err
	}
	for _, change := range changes {
		if change.Target == "" {
			result.Applied = append(result.Applied, model.AppliedChange{Op: model.OpUpdateSettings})
			if err := tx.History().RestoreSettings(ctx, space.ID, change.Before); err != nil {
				return err
			}
		}
	}
	return restoreFiles(ctx, tx, space.ID, files, result)
}

// planRestore returns a plan that reverts the changes of entities, and the changes of plugins and
// assets.
//
// Entities are parsed as from a client, because the rules may have changed since they were stored.
func planRestore(space *model.Space, changes []*model.SpaceChange) (*changePlan, []*model.SpaceChange, error) {
	plan := &changePlan{space: space}
	var files []*model.SpaceChange
	var faults model.ChangeFaults
	for _, change := range changes {
		switch {
		case change.Target == "":
		case strings.Contains(change.Target, "/"):
			files = append(files, change)
		case change.BeforeType == nil:
			plan.deletedEntities = append(plan.deletedEntities, change.Target)
		default:
			previous := &model.Entity{SpaceID: space.ID, EntityID: change.Target, Type: *change.BeforeType, Data: change.Before}
			entity, err := model.ParseEntityFile(space.ID, change.Target, previous.EntityFile())
			if err != nil {
				faults.Add(model.EntityPath(change.Target), "%s", err)
				continue
			}
			plan.entities = append(plan.entities, entity)
		}
	}
	return plan, files, faults.Refusal()
}

// restoreFiles reverts the changes of plugins and assets. It refuses if the owner has deleted one
// of the old files from the account. A file of another account, or one that was deleted, is not
// found.
func restoreFiles(ctx context.Context, tx *db.DB, spaceID string, files []*model.SpaceChange, result *model.ChangeResult) error {
	var faults model.ChangeFaults
	for _, change := range files {
		if change.BeforeType == nil {
			result.Applied = append(result.Applied, model.DeleteOp(change.Target))
			if err := tx.Spaces().DeleteSpaceFile(ctx, spaceID, change.Target); err != nil {
				return err
			}
			continue
		}
		result.Applied = append(result.Applied, model.PutOp(change.Target))
		found, err := tx.History().RestoreSpaceFile(ctx, spaceID, change.Target, change.Before)
		if err != nil {
			return fmt.Errorf("restore %s: %w", change.Target, err)
		}
		if !found {
			faults.Add(model.SpaceFolder+change.Target, "The file was deleted from the account")
		}
	}
	return faults.Refusal()
}
