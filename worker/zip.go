package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"portico/model"
	"portico/splat/archive"
	"portico/storage"
)

// processZip plans what to do with the archive and stores its files, the converted capture,
// or the archive itself.
//
// Files that an earlier attempt has stored are overwritten one by one with the same
// content. If an attempt emptied the folder first, an attempt that was paused at that point
// would delete the result of another attempt.
func (a *attempt) processZip(ctx context.Context) error {
	a.progress.set(0, model.JobStep{Name: model.JobReadingZip})
	file, size, err := a.openZip(ctx)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	opened, err := archive.Open(file, size, a.limits)
	if err != nil {
		return err
	}
	plan, err := a.planZip(ctx, opened)
	if err != nil {
		return err
	}
	a.settings = settingsBeside(ctx, opened, plan)
	switch plan.Kind {
	case archive.KindLCC:
		return a.convertZip(ctx, opened, plan)
	case archive.KindWhole:
		return a.storeZip(ctx, opened, plan.Others)
	case archive.KindSingle:
		a.note = plan.Note()
		return a.storeSingleCapture(ctx, opened, plan)
	}
	extracted, err := a.extract(ctx, opened, plan, percentStored)
	if err != nil {
		return err
	}
	return a.complete(ctx, extracted)
}

// openZip opens the uploaded zip, or the stored one whose capture the job takes.
func (a *attempt) openZip(ctx context.Context) (storage.ReaderAtCloser, int64, error) {
	key := a.upload.StorageKey()
	if a.job.SourceKey != "" {
		file, err := a.db.Files().FileOf(ctx, a.job.UserID, a.job.SourceKey)
		if err != nil {
			return nil, 0, err
		}
		key = file.StorageKey()
	}
	opened, size, err := a.store.OpenReaderAt(ctx, key)
	switch {
	case errors.Is(err, storage.ErrNotFound) && a.job.SourceKey != "":
		return nil, 0, a.missingFile(ctx, a.job.SourceKey, err)
	case err != nil:
		return nil, 0, fmt.Errorf("open the zip: %w", err)
	}
	return opened, size, nil
}

// planZip returns what to take out of the zip: what its owner chose, or what the zip says.
func (a *attempt) planZip(ctx context.Context, zip *archive.Zip) (archive.Plan, error) {
	if a.job.Capture != "" {
		return zip.PlanCapture(ctx, a.job.Capture)
	}
	return zip.Plan(ctx)
}

// storeZip checks all entries of the zip and completes the job with the zip itself, from which its
// owner may choose one of the captures.
func (a *attempt) storeZip(ctx context.Context, zip *archive.Zip, captures []archive.Candidate) error {
	if err := zip.Verify(ctx, a.reportSteps(model.JobCheckingZip, percentOpened, percentStored)); err != nil {
		return err
	}
	file := model.NewFile(a.upload)
	for _, c := range captures {
		file.Captures = append(file.Captures, model.ArchivedCapture(c))
	}
	return a.complete(ctx, file)
}

// storeSingleCapture stores the only capture of the zip as if it had been uploaded without the zip,
// and makes its view.
func (a *attempt) storeSingleCapture(ctx context.Context, zip *archive.Zip, plan archive.Plan) error {
	if strings.EqualFold(path.Ext(plan.Primary), htmlExtension) {
		return a.storeZippedHTML(ctx, zip, plan)
	}
	file, err := a.extract(ctx, zip, plan, percentPrepared)
	if err != nil {
		return err
	}
	return a.completeWithView(ctx, file)
}

// completeWithView makes the view of a capture in one file, and completes the job.
func (a *attempt) completeWithView(ctx context.Context, file *model.File) error {
	if a.tools.converts() && file.MayHaveView() {
		if err := a.makeOptionalView(ctx, file); err != nil {
			return err
		}
	}
	return a.complete(ctx, file)
}

// extract stores the files of the plan and reports progress up to the percentage end. Files that
// were stored concurrently count as done when they are stored, and not when they are read.
func (a *attempt) extract(ctx context.Context, zip *archive.Zip, plan archive.Plan, end float64) (_ *model.File, err error) {
	// The transaction of complete checks the quota again. This check saves extracting an
	// archive that it would refuse.
	if err := checkQuota(ctx, a.db, a.upload, plan.Bytes, a.sizeClause); err != nil {
		return nil, err
	}
	into := newUploadFolder(a.store, a.upload.StorageRoot(), plan.Primary)
	defer func() { err = errors.Join(err, into.close()) }()
	report := a.reportSteps(model.JobExtractingZip, percentOpened, end)
	err = zip.Extract(ctx, plan, into, func(s archive.Step) {
		s.FilesDone -= int(into.pending.Load())
		report(s)
	})
	// After an error too, wait until no file is being stored: the caller removes the files.
	if err := cmp.Or(into.wait(), err); err != nil {
		return nil, err
	}
	if err := into.commit(); err != nil {
		return nil, fmt.Errorf("store the files of the zip: %w", err)
	}
	file := model.NewFile(a.upload)
	file.ResourceKey = a.upload.ExtractedRoot() + plan.Primary
	file.ContentType = storage.MediaType(plan.Primary)
	file.Size, file.Objects = plan.Bytes, len(plan.Files)
	return file, nil
}
