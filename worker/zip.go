package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"portico/model"
	"portico/splat"
	"portico/storage"
)

// processZip looks into the archive and stores what the contract keeps of it.
//
// What an attempt before this one has stored stays where it is: it was the same
// files, and they are replaced one by one. To clear the folder first would let
// an attempt that was paused at that point delete another one's result.
func (a *attempt) processZip(ctx context.Context) error {
	a.progress.set(0, func() string { return "Reading zip" })
	zip, size, err := a.Store.OpenReaderAt(ctx, a.upload.StorageKey())
	if err != nil {
		return fmt.Errorf("open the zip: %w", err)
	}
	defer zip.Close() //nolint:errcheck // read only
	archive, err := splat.OpenArchive(zip, size, a.Limits)
	if err != nil {
		return err
	}
	plan, err := archive.Plan(ctx)
	if err != nil {
		return err
	}
	switch plan.Kind {
	case splat.KindLCC:
		return a.convertZip(ctx, archive, plan)
	case splat.KindWhole:
		return a.keepWhole(ctx, archive)
	}
	return a.extract(ctx, archive, plan)
}

// keepWhole stores the zip as it is, once all of it was found to be sound.
func (a *attempt) keepWhole(ctx context.Context, archive *splat.Archive) error {
	if err := archive.Verify(ctx, a.steps("Checking zip", checkedAt, storedAt)); err != nil {
		return err
	}
	return a.complete(ctx, model.NewFile(a.upload))
}

// extract stores the files of the plan; the zip is not needed after that.
func (a *attempt) extract(ctx context.Context, archive *splat.Archive, plan splat.Plan) error {
	// It is asked again when the result is stored. Here it saves the work.
	if err := fits(ctx, a.DB, a.upload, plan.Bytes, a.sized); err != nil {
		return err
	}
	into := sink{store: a.Store, root: a.upload.StorageRoot()}
	if err := archive.Extract(ctx, plan, into, a.steps("Extracting zip", checkedAt, storedAt)); err != nil {
		return err
	}
	file := model.NewFile(a.upload)
	file.ResourceKey = a.upload.ExtractedRoot() + plan.Primary
	file.ContentType = storage.MediaType(plan.Primary)
	file.Size, file.Objects = plan.Bytes, len(plan.Files)
	return a.complete(ctx, file)
}

// sink stores extracted files below the upload's folder.
type sink struct {
	store storage.Store
	root  string
}

// Put implements splat.Sink.
func (s sink) Put(ctx context.Context, name string, _ int64, r io.Reader) error {
	key := path.Join(s.root, name)
	_, err := s.store.Put(ctx, key, storage.MediaType(key), r)
	if errors.Is(err, storage.ErrInvalidKey) {
		// The name alone is within the limits; with our folder it is too long.
		return &splat.InputError{Entry: name, Message: "its path is too long to be stored"}
	}
	return err
}
