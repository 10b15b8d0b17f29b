package worker

import (
	"context"

	"portico/db"
	"portico/model"
)

// view is a stored streamed SOG or glTF that viewers load instead of a file.
type view struct {
	key    string // the resource key of its first object
	folder derivedFolder
	bytes  int64
}

// viewFolder is the folder of views among a file's derived objects.
const viewFolder = "view/"

// viewProgress receives the progress of the steps of makeView.
type viewProgress struct {
	fetched    copyProgress
	converting func(percent float64, message string)
	storing    func(done, total workload)
}

// makeView makes and stores a view of the file and fills in the file's facts. It returns nil if the
// file needs no view. The caller adds the view to the file's row. After an error it removes what it
// has stored.
func (t *attemptTools) makeView(ctx context.Context, file *model.File, progress viewProgress) (*view, error) {
	in, err := t.openLocally(ctx, file.StorageKey(), file.Objects > 1, progress.fetched)
	if err != nil {
		return nil, err
	}
	if file.Facts == nil {
		if file.Facts, err = t.inspect(ctx, file, in); err != nil {
			return nil, err
		}
	}
	if !file.NeedsView() {
		return nil, nil // viewers load the file itself
	}
	output, result, err := t.derive(ctx, file, conversion{
		in: in, name: file.ViewName(), edits: file.ViewEdits(), timeout: attemptTimeout, progress: progress.converting,
	})
	if err != nil {
		return nil, err
	}
	if made := result.Facts; made != nil && made.Splats > 0 && len(file.Facts.Levels) == 0 {
		file.Facts.Outliers = max(0, file.Facts.Splats-file.Facts.LeftOut-made.Splats)
	}
	folder, err := t.storeDerived(ctx, file, viewFolder, output, progress.storing)
	if err != nil {
		return nil, err
	}
	return &view{key: folder.key + output.primary, folder: folder, bytes: output.bytes}, nil
}

// makeOptionalView makes a view for the file of a job, which complete adds to the file. If it
// cannot be made, the job completes without it. makeOptionalView returns an error only when ctx has
// ended, or during an outage, so that the job is tried again.
func (a *attempt) makeOptionalView(ctx context.Context, file *model.File) error {
	view, err := a.tools.makeView(ctx, file, viewProgress{
		fetched: a.reportCopy(percentPrepared, percentPrepared), converting: a.reportConversion(model.JobConverting, percentPrepared, percentConverted),
		storing: a.reportFiles(model.JobStoring, percentConverted, percentStored),
	})
	if ctx.Err() != nil {
		if view != nil {
			a.tools.removeUnused(ctx, view.folder)
		}
		return context.Cause(ctx)
	}
	if err != nil && isUnavailable(ctx, a.store, err) {
		return err
	}
	if err != nil {
		a.log.Warn("no view was made", "error", err)
	}
	a.view = view
	return nil
}

// addView makes a view for a stored file that has none.
func (t *attemptTools) addView(ctx context.Context, file *model.File) error {
	if !file.NeedsView() && (file.Facts != nil || !file.MayHaveView()) {
		return nil
	}
	known := file.Facts != nil
	view, err := t.makeView(ctx, file, viewProgress{
		fetched: func(int64, int64) {}, converting: func(float64, string) {}, storing: func(workload, workload) {},
	})
	if file.Facts != nil && (!known || file.Facts.Outliers > 0) {
		if err := t.db.Files().SetFacts(ctx, file.ResourceKey, file.Facts); err != nil {
			if view != nil {
				t.removeUnused(ctx, view.folder)
			}
			return err
		}
	}
	if err != nil || view == nil {
		return err
	}
	_, err = t.linkFolder(ctx, view.folder, func(tx *db.DB) (bool, error) {
		return tx.Files().AddView(ctx, file, view.key, view.bytes)
	})
	return err
}
