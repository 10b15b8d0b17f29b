package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"portico/model"
	"portico/splat"
	"portico/splat/archive"
	"portico/storage"
)

// processZip looks into the archive and stores what the contract keeps of it.
//
// What an attempt before this one has stored stays where it is: it was the same
// files, and they are replaced one by one. To clear the folder first would let
// an attempt that was paused at that point delete another one's result.
func (a *attempt) processZip(ctx context.Context) error {
	a.progress.set(0, func() string { return "Reading zip" })
	file, size, err := a.store.OpenReaderAt(ctx, a.upload.StorageKey())
	if err != nil {
		return fmt.Errorf("open the zip: %w", err)
	}
	defer file.Close() //nolint:errcheck // read only
	opened, err := archive.Open(file, size, a.limits)
	if err != nil {
		return err
	}
	plan, err := opened.Plan(ctx)
	if err != nil {
		return err
	}
	switch plan.Kind {
	case archive.KindLCC:
		return a.convertZip(ctx, opened, plan)
	case archive.KindWhole:
		return a.keepWhole(ctx, opened)
	case archive.KindSingle:
		return a.unwrap(ctx, opened, plan)
	}
	extracted, err := a.extract(ctx, opened, plan, storedAt)
	if err != nil {
		return err
	}
	return a.complete(ctx, extracted)
}

// keepWhole stores the zip as it is, once all of it was found to be sound.
func (a *attempt) keepWhole(ctx context.Context, zip *archive.Zip) error {
	if err := zip.Verify(ctx, a.steps("Checking zip", checkedAt, storedAt)); err != nil {
		return err
	}
	return a.complete(ctx, model.NewFile(a.upload))
}

// unwrap stores the only capture of the zip in its place, as if it had been uploaded
// without a zip, and makes its view.
func (a *attempt) unwrap(ctx context.Context, zip *archive.Zip, plan archive.Plan) error {
	file, err := a.extract(ctx, zip, plan, preparedAt)
	if err != nil {
		return err
	}
	if a.workspace.converts() && viewable(file) {
		if err := a.addView(ctx, file); err != nil {
			return err
		}
	}
	return a.complete(ctx, file)
}

// extract stores the files of the plan, up to the given share of the progress. The zip is
// not needed after that.
func (a *attempt) extract(ctx context.Context, zip *archive.Zip, plan archive.Plan, end float64) (*model.File, error) {
	// It is asked again when the result is stored. Here it saves the work.
	if err := fits(ctx, a.db, a.upload, plan.Bytes, a.sized); err != nil {
		return nil, err
	}
	into := uploadFolder{store: a.store, root: a.upload.StorageRoot()}
	if err := zip.Extract(ctx, plan, into, a.steps("Extracting zip", checkedAt, end)); err != nil {
		return nil, err
	}
	file := model.NewFile(a.upload)
	file.ResourceKey = a.upload.ExtractedRoot() + plan.Primary
	file.ContentType = storage.MediaType(plan.Primary)
	file.Size, file.Objects = plan.Bytes, len(plan.Files)
	return file, nil
}

// uploadFolder stores extracted files below the upload's folder.
type uploadFolder struct {
	store storage.Store
	root  string
}

// Put implements folder.Writer.
func (u uploadFolder) Put(ctx context.Context, name string, _ int64, r io.Reader) error {
	key := path.Join(u.root, name)
	_, err := u.store.Put(ctx, key, r)
	if errors.Is(err, storage.ErrInvalidKey) {
		// The name alone is within the limits; with our folder it is too long.
		return &splat.InputError{File: name, Message: "has a path that is too long to store", Advice: "Rename its folders and create the zip again"}
	}
	return err
}
