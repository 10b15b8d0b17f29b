package worker

import (
	"context"

	"portico/model"
)

// prepare stores the facts of a file, queues its view and its collision, and makes its
// posters. It runs again when the view that the posters show has changed.
//
// Each step is skipped if its result is stored already, so that an attempt continues where the one
// before was killed. The facts are first, because the other steps depend on them.
func (t *attemptTools) prepare(ctx context.Context, file *model.File) error {
	if !file.IsInspectable() {
		return t.db.Files().SetFacts(ctx, file.ResourceKey, &model.FileFacts{Format: model.FormatOther})
	}
	in, err := t.openLocally(ctx, file.StorageKey(), file.Objects > 1, func(int64, int64) {})
	if err != nil {
		return err
	}
	if file.Facts == nil {
		if file.Facts, err = t.inspect(ctx, file, in); err != nil {
			return err
		}
		if err := t.db.Files().SetFacts(ctx, file.ResourceKey, file.Facts); err != nil {
			return err
		}
	}
	if file.NeedsView() && t.converts() {
		if err := t.db.Queue().EnqueueView(ctx, file.ResourceKey); err != nil {
			return err
		}
	}
	if file.CollisionKey == "" && file.Facts.HasCollision() {
		if err := t.db.Queue().EnqueueCollision(ctx, file.ResourceKey); err != nil {
			return err
		}
	}
	if file.NeedsPosters() {
		return t.addPosters(ctx, file, in)
	}
	return nil
}
