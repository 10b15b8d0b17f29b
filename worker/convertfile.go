package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"portico/db"
	"portico/model"
	"portico/storage"
	"portico/worker/child"
)

// convertFile converts the uploaded file, which the result replaces, or a stored file, which
// is kept.
func (a *attempt) convertFile(ctx context.Context) error {
	a.progress.set(0, model.JobStep{Name: model.JobReadingFile})
	if a.job.SourceKey == "" {
		in, err := a.tools.openLocally(ctx, a.upload.StorageKey(), false, a.reportCopy(0, percentPrepared))
		if err != nil {
			return err
		}
		return a.convertTo(ctx, conversionSource{in: in}, a.job.ConvertTo)
	}
	edits, err := a.job.Edits.List()
	if err != nil {
		return fmt.Errorf("read the changes of job %s: %w", a.job.ID, err)
	}
	from := conversionSource{edits: edits}
	keys := []string{a.job.SourceKey}
	for _, edit := range edits {
		if edit.Name == model.MergeEdit {
			keys = append(keys, edit.Value)
		}
	}
	inputs, attribution, err := a.openStored(ctx, keys)
	if err != nil {
		return err
	}
	from.in, from.merged, from.attribution = inputs[0], inputs[1:], attribution
	if len(edits) == 0 {
		from.viewpoint = inputs[0].viewpoint
	}
	return a.convertTo(ctx, from, a.job.ConvertTo)
}

// conversionSource is what a job converts. The path of in is below the temporary folder or, on a
// local store, a stored object.
type conversionSource struct {
	in input
	// edits and merged are the fields of conversion with these names.
	edits  []model.Edit
	merged []input
	// viewpoint is the viewpoint of in; nil with edits, which may rotate the capture.
	viewpoint *model.PosterView
	// attribution is the line that the owner of the format demands; "" means none.
	attribution string
}

// openStored returns the user's files with these resource keys, and the first attribution
// among them.
func (a *attempt) openStored(ctx context.Context, keys []string) (inputs []input, attribution string, err error) {
	for i, key := range keys {
		file, err := a.db.Files().FileOf(ctx, a.job.UserID, key)
		if err != nil {
			return nil, "", err
		}
		share := percentPrepared / float64(len(keys))
		in, err := a.tools.openLocally(ctx, file.StorageKey(), file.Objects > 1, a.reportCopy(float64(i)*share, float64(i+1)*share))
		if errors.Is(err, storage.ErrNotFound) {
			return nil, "", a.missingFile(ctx, key, err)
		}
		if err != nil {
			return nil, "", err
		}
		if file.Facts != nil {
			in.suggestedView, in.up = file.Facts.SuggestedView, file.Facts.Up
		}
		in.viewpoint = file.PosterView()
		inputs, attribution = append(inputs, in), cmp.Or(attribution, file.Attribution())
	}
	return inputs, attribution, nil
}

// missingFile returns why an object of a stored file was not found: its owner has deleted the file
// since its row was read, or the store has lost the object.
func (a *attempt) missingFile(ctx context.Context, key string, cause error) error {
	if _, err := a.db.Files().FileOf(ctx, a.job.UserID, key); err != nil {
		return err
	}
	return fmt.Errorf("%w: %w", errLostFile, cause)
}

// convertTo converts a file on this machine, stores the result and completes the job. Two attempts
// may do this at the same time, even with two versions of the program, whose files differ: each
// stores into a folder of its own.
func (a *attempt) convertTo(ctx context.Context, from conversionSource, to model.ConversionTarget) error {
	a.sizeClause = "the converted file has"
	if err := a.removeEarlierResults(ctx); err != nil {
		return err
	}
	output, facts, err := a.runConversion(ctx, from, to)
	if err != nil {
		return err
	}
	// Checked again with the result. This check saves the work of storing.
	if err := checkQuota(ctx, a.db, a.upload, output.bytes, a.sizeClause); err != nil {
		return err
	}
	folder, err := a.storeConverted(ctx, output)
	if err != nil {
		return err
	}
	a.converted = &folder
	file := model.NewFile(a.upload)
	file.ResourceKey = folder.key + output.primary
	if a.job.SourceKey != "" {
		file.Name = to.ConvertedName(file.Name) // the source stays in the same list
	}
	file.ContentType = storage.MediaType(output.primary)
	file.Size, file.Objects, file.Facts = output.bytes, len(output.files), facts
	if facts != nil && facts.Attribution == "" {
		facts.Attribution = from.attribution // the format of the result may have no place for it
	}
	return a.complete(ctx, file)
}

// storeConverted stores a converted file in a new folder of its own, below the extracted root of
// the upload. After an error it deletes what it has stored. It returns errLost, and stores nothing,
// if another attempt has the job.
//
// A converted file may be as large as the quota of its owner, so what a killed attempt leaves
// behind counts in the quota.
func (a *attempt) storeConverted(ctx context.Context, output *stagedResult) (derivedFolder, error) {
	folder, until := newDerivedFolder(a.upload.UserID, a.upload.ExtractedRoot()), model.DerivedUntil(time.Now())
	current, err := a.db.Files().AddResult(ctx, db.Removal{
		Key: folder.root, Due: until, UserID: a.upload.UserID, Bytes: output.bytes, Sweep: until,
		JobID: a.job.ID, Attempt: a.job.Attempt,
	})
	if err == nil && !current {
		err = errLost
	}
	if err != nil {
		return folder, err
	}
	return folder, a.tools.storeInFolder(ctx, folder, output, a.reportFiles(model.JobStoring, percentConverted, percentStored))
}

// removeEarlierResults removes the results that earlier attempts at the job have stored. Their
// processes were killed or paused, and their bytes count in the owner's quota until then. What
// cannot be removed is left to the purge.
func (a *attempt) removeEarlierResults(ctx context.Context) error {
	if a.job.Attempt == 1 {
		return nil
	}
	folders, err := a.db.Files().SweepResults(ctx, a.job, a.upload.StorageRoot())
	if err == nil {
		_, _ = a.remover.remove(ctx, folders...) // the purge removes what stays
	}
	return err
}

// runConversion converts a file. Each file of the result has at most resultBase more bytes than
// its owner has free, counting the upload; convertTo checks their sum.
func (a *attempt) runConversion(ctx context.Context, from conversionSource, to model.ConversionTarget) (*stagedResult, *model.FileFacts, error) {
	account, err := a.db.Accounts().Storage(ctx, a.upload.UserID)
	if err != nil {
		return nil, nil, err
	}
	name := to.ResultName(strings.TrimPrefix(path.Base(a.upload.ResourceKey), a.upload.ID+"_"))
	limit, err := resultLimit(name, append([]input{from.in}, from.merged...)...)
	if err != nil {
		return nil, nil, err
	}
	available := account.Free() + a.upload.Size + resultBase
	step := model.JobConverting
	if to == model.ConvertToTurntable {
		step = model.JobDrawingTurntable
	}
	output, result, err := a.tools.convert(ctx, conversion{
		in: from.in, name: name, edits: from.edits, merged: from.merged, viewpoint: from.viewpoint, maxFileSize: min(limit, available), timeout: attemptTimeout,
		progress: a.reportConversion(step, percentPrepared, percentConverted),
	})
	if errors.Is(err, child.ErrTooLarge) && available < limit {
		return nil, nil, &model.Error{Code: model.CodeQuotaExceeded, Message: model.QuotaExceeded + ": the converted file has more bytes than are free"}
	}
	if err != nil {
		return nil, nil, err
	}
	return output, result.Facts, nil
}
