package worker

import (
	"context"

	"portico/db"
	"portico/model"
)

// collisionName is the name of every collision's first object. Viewers recognise it by its
// extension, and derive the name of the second object from it.
const collisionName = "collision.voxel.json"

// collisionFolder is the folder of collisions among a file's derived objects.
const collisionFolder = "collision/"

// addCollision makes and stores the collision of a stored file that has none, and the start that
// was found with it. If the owner has no storage left, or the collision cannot be made, it stores
// this as the step's failure and returns nil. Objects are stored before the row names them.
func (t *attemptTools) addCollision(ctx context.Context, file *model.File) error {
	if file.CollisionKey != "" || file.Facts == nil || !file.Facts.HasCollision() {
		return nil
	}
	in, err := t.openLocally(ctx, file.StorageKey(), file.Objects > 1, func(int64, int64) {})
	if err != nil {
		return err
	}
	in.suggestedView, in.up = file.Facts.SuggestedView, file.Facts.Up
	output, result, err := t.derive(ctx, file, conversion{in: in, name: collisionName, timeout: attemptTimeout})
	if err != nil {
		return t.giveUpStep(ctx, file, model.StepCollision, err)
	}
	folder, err := t.storeDerived(ctx, file, collisionFolder, output, func(workload, workload) {})
	if err != nil {
		return err
	}
	_, err = t.linkFolder(ctx, folder, func(tx *db.DB) (bool, error) {
		return tx.Files().AddCollision(ctx, file, folder.key+output.primary, output.bytes, result.Start)
	})
	if model.CodeOf(err) == model.CodeQuotaExceeded { // used up since derive has looked
		err = t.giveUpStep(ctx, file, model.StepCollision, err)
	}
	return err
}
