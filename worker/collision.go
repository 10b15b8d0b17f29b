package worker

import (
	"context"
	"errors"

	"portico/model"
)

// collisionName is the name of every collision's first object. Viewers recognise it by its
// extension, and derive the name of the second object from it.
const collisionName = "collision.voxel.json"

// collisionFolder is the folder of a collision, among a file's derived objects.
const collisionFolder = "collision/"

// addCollision makes and stores the collision of a stored file that has none, and the start that
// was found with it. If the owner has no storage left, or the collision cannot be made, it stores
// this as the step's failure and returns nil. Objects are stored before the row names them. If the
// process ends in between, another attempt overwrites them, or collisionWork.discard removes them.
func (s *workspace) addCollision(ctx context.Context, file *model.File) error {
	if file.CollisionKey != "" || file.Facts == nil || !file.Facts.HasCollision() {
		return nil
	}
	in, err := s.openLocally(ctx, file.StorageKey(), file.Objects > 1, func(int64, int64) {})
	if err != nil {
		return err
	}
	in.view = file.Facts.View
	output, result, err := s.derive(ctx, file, conversion{in: in, name: collisionName, timeout: attemptTimeout})
	if err != nil {
		return s.giveUpStep(ctx, file, model.StepCollision, err)
	}
	if err := s.storeStaged(ctx, collisionRoot(file), output, func(workload, workload) {}); err != nil {
		return errors.Join(err, s.removeUnusedCollision(ctx, file))
	}
	key := file.DerivedRoot() + collisionFolder + output.primary
	added, err := s.db.AddCollision(ctx, file, key, output.bytes, result.Start)
	if model.CodeOf(err) == model.CodeQuotaExceeded { // used up since derive has looked
		err = s.giveUpStep(ctx, file, model.StepCollision, err)
	}
	if err != nil || added {
		return err
	}
	return s.removeUnusedCollision(ctx, file)
}

// collisionRoot returns the folder of a file's collision in the store.
func collisionRoot(file *model.File) string { return file.DerivedStorageRoot() + collisionFolder }

// removeUnusedCollision does for a collision what removeUnusedView does for a view.
func (s *workspace) removeUnusedCollision(ctx context.Context, file *model.File) error {
	remove := func() {
		if err := s.store.DeletePrefix(ctx, collisionRoot(file)); err != nil {
			s.log.Warn("remove an unused collision", "error", err)
		}
	}
	if ctx.Err() == nil {
		return s.removeUnused(ctx, file, func(current *model.File) bool { return current.CollisionKey != "" }, remove)
	}
	return nil
}
