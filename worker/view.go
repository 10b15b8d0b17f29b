package worker

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"portico/model"
)

// streamedFrom is how many Gaussians a view has that is loaded level by level
// instead of whole.
const streamedFrom = 1_000_000

// view is what viewers load in place of a file.
type view struct {
	key   string // of its first object, in the form of a resource key
	bytes int64
}

// viewed are the extensions of files that a view is made of.
var viewed = []string{".ply", ".spz", ".splat", ".ksplat"}

// viewRoot returns the folder in the store where a file's view is.
func viewRoot(file *model.File) string { return file.DerivedStorageRoot() + "view/" }

// viewable reports whether a view may be made of a file, judged by its name: of
// what is one file of Gaussians and no SOG yet.
func viewable(file *model.File) bool {
	extension := strings.ToLower(path.Ext(file.ResourceKey))
	return file.Objects == 1 && slices.Contains(viewed, extension)
}

// stages report how far the making of a view has come.
type stages struct {
	fetched    fetched
	converting func(percent float64, message string)
	storing    func(filesDone, files int, bytesDone, bytes int64)
}

// makeView makes and stores a view of the file, and sets the file's facts; nil
// if the file has no Gaussians. The file does not have the view yet. What an
// attempt before this one has stored is replaced by the same.
func (s *workspace) makeView(ctx context.Context, file *model.File, progress stages) (*view, error) {
	in, err := s.local(ctx, file.StorageKey(), false, progress.fetched)
	if err != nil {
		return nil, err
	}
	if file.Facts == nil {
		if file.Facts, err = s.inspect(ctx, in); err != nil {
			return nil, err
		}
	}
	if file.Facts.Splats == 0 {
		return nil, nil // a mesh, or damaged: viewers get it as it is
	}
	name := "view.sog"
	if file.Facts.Splats >= streamedFrom {
		name = streamedName
	}
	made, _, err := s.convert(ctx, in, name, attemptTimeout, progress.converting)
	if err != nil {
		return nil, err
	}
	account, err := s.db.Storage(ctx, file.UserID)
	if err != nil {
		return nil, err
	}
	if account.Free() < made.bytes {
		return nil, &model.Error{Code: model.CodeQuotaExceeded, Message: model.QuotaExceeded}
	}
	if err := s.keep(ctx, viewRoot(file), made, progress.storing); err != nil {
		return nil, errors.Join(err, s.dropUnused(ctx, file))
	}
	return &view{key: file.DerivedRoot() + "view/" + made.primary, bytes: made.bytes}, nil
}

// dropUnused removes what was stored of a view that comes to nothing. Not where
// the file has a view, which an attempt that took this one for dead has stored
// under the same names; nor where the work was ended from outside, since somebody
// else may be at it then.
func (s *workspace) dropUnused(ctx context.Context, file *model.File) error {
	undo := func() {
		if err := s.store.DeletePrefix(ctx, viewRoot(file)); err != nil {
			s.log.Warn("remove a view that is not used", "error", err)
		}
	}
	if ctx.Err() == nil {
		return s.drop(ctx, file, func(now *model.File) bool { return now.ViewKey != "" }, undo)
	}
	return nil
}

// addView makes a view of a file over the asynchronous threshold. The file is
// sound without: what goes wrong here costs the view alone, but for an outage, whose
// end is waited for.
func (a *attempt) addView(ctx context.Context, file *model.File) error {
	view, err := a.workspace.makeView(ctx, file, stages{
		fetched: a.copying(preparedAt, preparedAt), converting: a.converting(preparedAt, convertedAt),
		storing: a.storing(convertedAt, storedAt),
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && away(ctx, a.store, err) {
		return err
	}
	if err != nil {
		a.log.Warn("no view was made", "error", err)
	}
	a.view = view
	return nil
}

// view makes a view of a file in the background, unless it has one.
func (s *workspace) view(ctx context.Context, file *model.File) error {
	if file.ViewKey != "" || !viewable(file) {
		return nil
	}
	known := file.Facts != nil
	view, err := s.makeView(ctx, file, stages{
		fetched: func(int64, int64) {}, converting: func(float64, string) {}, storing: func(int, int, int64, int64) {},
	})
	if !known && file.Facts != nil {
		if err := s.db.SetFacts(ctx, file.ResourceKey, file.Facts); err != nil {
			return err
		}
	}
	if err != nil || view == nil {
		return err
	}
	added, err := s.db.AddView(ctx, file, view.key, view.bytes)
	if err != nil || added {
		return err
	}
	return s.dropUnused(ctx, file)
}

// drop undoes what was stored for a file that did not take it, unless the file is
// there and has one, which another attempt has then stored.
func (s *workspace) drop(ctx context.Context, file *model.File, has func(*model.File) bool, undo func()) error {
	now, err := s.db.FileToPrepare(ctx, file.ResourceKey)
	if err == nil && (now == nil || !has(now)) {
		undo()
	}
	return err
}
