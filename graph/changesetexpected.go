package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"portico/db"
	"portico/model"
)

// expectedIDs returns the ids of the entities for which the client sent a hash.
func (p *changePlan) expectedIDs() (ids []string) {
	for _, file := range p.expected {
		if file.EntityID != "" {
			ids = append(ids, file.EntityID)
		}
	}
	return ids
}

// checkExpected refuses the plan if a file has changed since the client read it. The caller has
// locked the entities.
//
// It compares the SHA-256 of the bytes that a pull returned for the file: an entity as WorkspaceFile
// renders it, a plugin or an asset by its stored hash. A hash that the client left empty means that
// the file must not exist.
func (r *Resolver) checkExpected(ctx context.Context, tx *db.DB, p *changePlan, filesBefore map[string]*model.SpaceFile) error {
	if len(p.expected) == 0 {
		return nil
	}
	entities, err := tx.Entities().EntitiesOfSpace(ctx, p.space.ID, p.expectedIDs())
	if err != nil {
		return err
	}
	tokens := tokensOf(slices.SortedFunc(maps.Values(filesBefore), func(a, b *model.SpaceFile) int { return strings.Compare(a.Path, b.Path) }), r.urlOf(p.space))
	var conflicts model.FileConflicts
	for _, file := range p.expected {
		current := ""
		if entity := entities[file.EntityID]; entity != nil {
			sum := sha256.Sum256(entity.WorkspaceFile(p.space, tokens))
			current = hex.EncodeToString(sum[:])
		} else if stored := filesBefore[file.File]; stored != nil {
			current = stored.SHA256
		}
		if current != file.sha256 {
			conflicts = append(conflicts, file.path)
		}
	}
	return conflicts.Refusal()
}

// checkUnchanged refuses the plan if a file that the space had before the transaction has changed
// since then. Its bytes were not stored, so the transaction cannot write it.
func (p *changePlan) checkUnchanged(filesBefore map[string]*model.SpaceFile) error {
	var conflicts model.FileConflicts
	for _, file := range p.unchanged {
		if current := filesBefore[file.Path]; current == nil || current.SHA256 != file.SHA256 {
			conflicts = append(conflicts, model.SpaceFolder+file.Path)
		}
	}
	return conflicts.Refusal()
}

// checkCreated refuses the plan if it updated an entity that the client expected not to exist.
// An entity that does not exist cannot be locked, so another request may have created it after
// checkExpected.
func (p *changePlan) checkCreated(created map[string]bool) error {
	var conflicts model.FileConflicts
	for _, file := range p.expected {
		if isNew, changed := created[file.EntityID]; changed && !isNew && file.sha256 == "" {
			conflicts = append(conflicts, file.path)
		}
	}
	return conflicts.Refusal()
}
