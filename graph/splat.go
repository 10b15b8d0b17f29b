package graph

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"slices"
	"strconv"

	"portico/db"
	"portico/graph/access"
	"portico/model"
	"portico/storage"
)

// The operations of SuperSplat's API, which only its door calls. An upload of it is an upload in
// parts like any other, with a space that is created when the client completes it.

// SplatPartPath is the path below which the parts of these uploads are sent.
const SplatPartPath = "/api/supersplat/v1/parts/"

// errKeyTaken says that a concurrent request has used the idempotency key.
var errKeyTaken = errors.New("the idempotency key is taken")

// CreateSplatUpload creates an upload whose file becomes a space, and reports whether it did: a
// repeated idempotency key returns the upload of the first request, unless nothing can come of that
// one any more.
func (r *Resolver) CreateSplatUpload(ctx context.Context, in model.CreateSplatUpload) (upload *model.SplatUpload, created bool, err error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, false, err
	}
	if err := in.Validate(); err != nil {
		return nil, false, err
	}
	if err := r.checkUpload(in.Upload()); err != nil {
		return nil, false, err
	}
	if upload, err = r.repeatedSplatUpload(ctx, c, in); err != nil || upload != nil {
		return upload, false, err
	}
	upload, err = r.addSplatUpload(ctx, c, in)
	if err != nil && in.IdempotencyKey != "" {
		// The other request may also have reserved the storage that this one needed.
		if repeated, repeatErr := r.repeatedSplatUpload(ctx, c, in); repeatErr == nil && repeated != nil {
			return repeated, false, nil
		}
	}
	return upload, err == nil, err
}

// repeatedSplatUpload returns the upload that an earlier request of the account has created with the
// same idempotency key; nil for none.
func (r *Resolver) repeatedSplatUpload(ctx context.Context, c *model.Caller, in model.CreateSplatUpload) (*model.SplatUpload, error) {
	if in.IdempotencyKey == "" {
		return nil, nil
	}
	if err := r.db.Splats().ReleaseIdempotencyKey(ctx, c.UserID, in.IdempotencyKey); err != nil {
		return nil, err
	}
	id, err := r.db.Splats().SplatUploadWithKey(ctx, c.UserID, in.IdempotencyKey)
	if err != nil || id == "" {
		return nil, err
	}
	upload, err := r.SplatUpload(ctx, id)
	if err == nil && (upload.Format != in.Format || upload.Upload.Size != int64(in.Size)) {
		return nil, model.InvalidField("Idempotency-Key", "was used for another file")
	}
	return upload, err
}

// addSplatUpload stores a valid upload, reserves its storage, and prepares the store for its parts.
func (r *Resolver) addSplatUpload(ctx context.Context, c *model.Caller, in model.CreateSplatUpload) (*model.SplatUpload, error) {
	upload := r.newUpload(c, in.Upload())
	upload.Parts = in.Parts()
	row := model.NewSplatUpload(upload, in)
	err := r.db.InTx(ctx, func(tx *db.DB) error {
		if err := reserveUpload(ctx, tx, upload); err != nil {
			return err
		}
		added, err := tx.Splats().AddSplatUpload(ctx, row)
		if err == nil && !added {
			err = errKeyTaken
		}
		return err
	})
	if err == nil {
		err = r.startParts(ctx, upload)
	}
	if err != nil {
		return nil, err
	}
	return row, nil
}

// SplatUpload returns the caller's upload with the parts that have arrived. An upload of another
// account, or of another door, is not found.
//
// If the process ended between the confirmation of the file and the creation of its space, the space
// is created now.
func (r *Resolver) SplatUpload(ctx context.Context, id string) (*model.SplatUpload, error) {
	row, err := r.ownedSplatUpload(ctx, id)
	if err != nil {
		return nil, err
	}
	if state := row.Upload.State; !row.Published && (state == model.UploadProcessing || state == model.UploadConfirmed) {
		return row, r.publishSplat(ctx, row)
	}
	return row, nil
}

func (r *Resolver) ownedSplatUpload(ctx context.Context, id string) (*model.SplatUpload, error) {
	upload, err := r.access.OwnedResumable(ctx, id)
	if err != nil {
		return nil, err
	}
	row, err := r.db.Splats().SplatUpload(ctx, upload.ID)
	if err != nil {
		return nil, err
	}
	row.Upload = upload
	row.Parts, err = r.db.Splats().SplatParts(ctx, upload.ID)
	return row, err
}

// SplatPartURLs checks that the parts of the caller's upload can be sent now, and returns the upload.
func (r *Resolver) SplatPartURLs(ctx context.Context, id string, parts []int) (*model.SplatUpload, error) {
	upload, err := r.SplatUpload(ctx, id)
	if err != nil {
		return nil, err
	}
	count := len(upload.Upload.PartRanges())
	if len(parts) == 0 || len(parts) > maxPartURLs || slices.ContainsFunc(parts, func(part int) bool { return part < 1 || part > count }) {
		return nil, model.InvalidField("parts", "must be 1 to "+strconv.Itoa(maxPartURLs)+" numbers from 1 to "+strconv.Itoa(count))
	}
	if upload.Upload.State != model.UploadPending || upload.IsCanceled() {
		return nil, model.Conflict(model.ReasonEnded, model.SplatUploadEnded, nil)
	}
	return upload, nil
}

// maxPartURLs is how many addresses a client gets in one request.
const maxPartURLs = 100

// AddressedPart returns a part of an upload for a request whose address has a valid signature.
func (r *Resolver) AddressedPart(ctx context.Context, id string, number int) (ReceivingUpload, error) {
	upload, err := r.access.AddressedUpload(ctx, id)
	if err != nil {
		return ReceivingUpload{}, err
	}
	if upload.State != model.UploadPending {
		return ReceivingUpload{}, model.Conflict(model.ReasonEnded, model.SplatUploadEnded, nil)
	}
	parts := upload.PartRanges()
	if number < 1 || number > len(parts) {
		return ReceivingUpload{}, model.NotFound(model.UploadNotFound)
	}
	return ReceivingUpload{Upload: upload, Part: &parts[number-1]}, nil
}

// PutPart stores all bytes of a part of AddressedPart, in place of what it had, and returns their
// ETag. The content must have exactly the length of the part. If it fails, the part counts as not
// sent.
//
// It has the lease of AppendUpload, so one request writes a part at a time.
func (r *Resolver) PutPart(ctx context.Context, part ReceivingUpload, content io.Reader) (etag string, err error) {
	lease := &uploadLease{resolver: r, upload: part, writer: model.Token(), ctx: ctx}
	if err := lease.acquire(); err != nil {
		return "", err
	}
	defer func() {
		if exists := lease.release(); !exists && err == nil {
			err = model.Conflict(model.ReasonEnded, model.SplatUploadEnded, nil)
		}
	}()
	if err := r.db.Splats().ForgetSplatPart(ctx, part.ID, part.Part.Number); err != nil {
		return "", err
	}
	exact := &exactSizeReader{reader: content, remaining: part.Length()}
	hashed := &hashReader{exact, sha256.New()}
	lease.content = hashed
	if err := r.store.PutPart(ctx, part.StorageKey(), *part.Part, lease); err != nil {
		return "", r.partError(err)
	}
	// The store stops after the last byte, and more may follow.
	if n, err := exact.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return "", r.partError(cmp.Or(err, error(errContentSize)))
	}
	// Half of the hash is enough: clients compare it, and nobody gains by forging a part of their own.
	stored := &model.SplatPart{Part: part.Part.Number, ETag: hex.EncodeToString(hashed.sum.Sum(nil)[:16])}
	if current, err := r.db.Splats().AddSplatPart(context.WithoutCancel(ctx), part.ID, stored, lease.writer); err != nil || !current {
		return "", errors.Join(err, errOtherWriter)
	}
	return stored.ETag, nil
}

// partError returns the refusal of a part that could not be stored.
func (r *Resolver) partError(err error) error {
	switch {
	case errors.Is(err, errContentSize):
		return model.Invalidf("The body must have exactly the bytes of the part")
	case errors.Is(err, storage.ErrNotFound): // it was completed or discarded in the meantime
		return errors.Join(model.Conflict(model.ReasonEnded, model.SplatUploadEnded, nil), err)
	}
	return r.storeError(err)
}

// hashReader hashes what is read.
type hashReader struct {
	io.Reader
	sum hash.Hash
}

// Read implements io.Reader.
func (h *hashReader) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	_, _ = h.sum.Write(p[:n]) // a hash never returns an error
	return n, err
}

// CompleteSplatUpload confirms the upload and creates its space, and reports whether this call did. A
// repeated call gets the same response. A file that a job must process first appears in its space
// when the job has ended.
func (r *Resolver) CompleteSplatUpload(ctx context.Context, id string, parts []*model.SplatPart) (upload *model.SplatUpload, created bool, err error) {
	upload, err = r.ownedSplatUpload(ctx, id)
	if err != nil || upload.Published {
		return upload, false, err
	}
	if upload.IsCanceled() || upload.Upload.State == model.UploadFailed {
		return nil, false, model.Conflict(model.ReasonEnded, model.SplatUploadEnded, nil)
	}
	if upload.Upload.State == model.UploadPending {
		if err := upload.CheckParts(parts); err != nil {
			return nil, false, err
		}
		complete := model.CompleteUpload{Status: model.StatusSuccess, FileURL: r.resumableURL(id)}
		if _, err := r.Mutation().CompleteUpload(ctx, complete); err != nil {
			return nil, false, err
		}
	}
	return upload, true, r.publishSplat(ctx, upload)
}

// publishSplat creates the space of a confirmed upload, once. It is Link Only if the account may have
// such a space, because new splats are unlisted, and otherwise Private.
//
// Its file is in it if it is stored already; otherwise the worker that stores it adds it. Both lock
// the row of the upload first, so one of them adds it.
func (r *Resolver) publishSplat(ctx context.Context, upload *model.SplatUpload) error {
	privacy := model.LinkOnly
	if err := r.allowPrivacy(ctx, upload.UserID, &privacy); model.CodeOf(err) == model.CodeInvalid {
		privacy = model.Private
	} else if err != nil {
		return err
	}
	in := model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Title: &upload.Title, Description: &upload.Description}, Privacy: &privacy}
	_, err := writeJSON(ctx, r, spaceBytes, func() (space *model.Space, err error) {
		err = r.db.InTx(ctx, func(tx *db.DB) error {
			space, err = r.addSplatSpace(ctx, tx, upload.UploadID, in)
			return err
		})
		return space, err
	})
	upload.Published = err == nil
	return err
}

// addSplatSpace creates the space of an upload with its file, unless another request has. It returns
// an empty space then.
func (r *Resolver) addSplatSpace(ctx context.Context, tx *db.DB, uploadID string, in model.CreateSpace) (*model.Space, error) {
	row, err := tx.Splats().LockSplatUpload(ctx, uploadID)
	if err != nil || row == nil || row.Published {
		return new(model.Space), err
	}
	file, err := tx.Files().FileOfUpload(ctx, uploadID)
	if model.CodeOf(err) == model.CodeNotFound {
		file, err = nil, nil // the job has not stored it yet
	}
	if err != nil {
		return nil, err
	}
	space := model.NewSpace(row.UserID, in, file)
	space.ID = row.SpaceID
	entities, err := r.firstEntities(ctx, tx, space, file)
	if err != nil {
		return nil, err
	}
	if err := tx.Spaces().AddSpace(ctx, space, entities); err != nil {
		return nil, err
	}
	return space, tx.Splats().PublishSplat(ctx, uploadID)
}

// Splats returns the caller's spaces as SuperSplat's API lists them: newest first, after the first
// skip ones.
func (r *Resolver) Splats(ctx context.Context, limit, skip int) (*model.SplatPage, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	return r.db.Splats().Splats(ctx, c.UserID, limit, skip)
}

// Splat returns a space that the caller may read, as SuperSplat's API shows it.
func (r *Resolver) Splat(ctx context.Context, id string) (*model.Splat, error) {
	space, err := r.access.ReadableSpaceWithKey(ctx, id)
	if err != nil {
		return nil, err
	}
	return r.db.Splats().Splat(ctx, space.ID)
}
