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
func (ws *workspace) prepare(ctx context.Context, file *model.File) error {
	if !file.IsInspectable() {
		return ws.db.SetFacts(ctx, file.ResourceKey, &model.FileFacts{Format: model.FormatOther})
	}
	in, err := ws.openLocally(ctx, file.StorageKey(), file.Objects > 1, func(int64, int64) {})
	if err != nil {
		return err
	}
	if file.Facts == nil {
		if file.Facts, err = ws.inspect(ctx, file, in); err != nil {
			return err
		}
		if err := ws.db.SetFacts(ctx, file.ResourceKey, file.Facts); err != nil {
			return err
		}
	}
	if file.NeedsView() && ws.converts() {
		if err := ws.db.EnqueueView(ctx, file.ResourceKey); err != nil {
			return err
		}
	}
	if file.CollisionKey == "" && file.Facts.HasCollision() {
		if err := ws.db.EnqueueCollision(ctx, file.ResourceKey); err != nil {
			return err
		}
	}
	if file.NeedsPosters() {
		return ws.addPosters(ctx, file, in)
	}
	return nil
}
