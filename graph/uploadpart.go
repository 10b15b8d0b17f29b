package graph

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"portico/model"
)

// ReceivingUpload is a resumable upload of the caller, or one of its parts.
//
// Its address is the id of the upload, or the id, a point and the number of the part. Ids contain
// no point.
type ReceivingUpload struct {
	*model.Upload
	// Part is nil for the upload as a whole. An upload with parts receives no bytes as a whole.
	Part *model.UploadPart
}

// Address returns the last element of the path that the bytes are sent to.
func (u ReceivingUpload) Address() string { return partAddress(u.Upload, u.Part) }

// Length returns the number of bytes that are sent to the address.
func (u ReceivingUpload) Length() int64 {
	if u.Part != nil {
		return u.Part.Size
	}
	return u.Size
}

func partAddress(upload *model.Upload, part *model.UploadPart) string {
	if part == nil {
		return upload.ID
	}
	return upload.ID + "." + strconv.Itoa(part.Number)
}

// PartAddresses returns the addresses of all parts in order; none for an upload without parts.
func (u ReceivingUpload) PartAddresses() []string {
	var addresses []string
	for _, part := range u.PartRanges() {
		addresses = append(addresses, partAddress(u.Upload, &part))
	}
	return addresses
}

// ReceivingUpload returns the caller's resumable upload, or the part, with this address. An upload
// of another user is not found.
func (r *Resolver) ReceivingUpload(ctx context.Context, address string) (ReceivingUpload, error) {
	id, number, isPart := strings.Cut(address, ".")
	upload, err := r.access.OwnedResumable(ctx, id)
	if err != nil || !isPart {
		return ReceivingUpload{Upload: upload}, err
	}
	parts := upload.PartRanges()
	i := slices.IndexFunc(parts, func(part model.UploadPart) bool { return strconv.Itoa(part.Number) == number })
	if i < 0 {
		return ReceivingUpload{}, model.NotFound(model.UploadNotFound)
	}
	return ReceivingUpload{Upload: upload, Part: &parts[i]}, nil
}

// appended returns how many bytes of the upload or part the store has. An upload with parts has no
// bytes as a whole before it is confirmed.
func (r *Resolver) appended(ctx context.Context, u ReceivingUpload) (int64, error) {
	switch {
	case u.Part != nil:
		return r.store.AppendedPart(ctx, u.StorageKey(), *u.Part)
	case u.Parts > 0:
		return 0, nil
	}
	return r.store.Appended(ctx, u.StorageKey())
}

// appendTo appends content to the upload or part at this offset, and returns the number of bytes
// that are stored.
func (r *Resolver) appendTo(ctx context.Context, u ReceivingUpload, offset int64, content io.Reader) (int64, error) {
	if u.Part != nil {
		return r.store.AppendPart(ctx, u.StorageKey(), *u.Part, offset, content)
	}
	return r.store.Append(ctx, u.StorageKey(), offset, content)
}

// acquireLease acquires or extends the lease of the writer, and reports whether the writer has it.
func (r *Resolver) acquireLease(ctx context.Context, u ReceivingUpload, writer string) (bool, error) {
	lifetime := model.ResumableLifetime.Seconds()
	if u.Part != nil {
		return r.db.Uploads().LeasePart(ctx, u.ID, u.Part.Number, writer, lifetime)
	}
	return r.db.Uploads().LeaseUpload(ctx, u.ID, writer, lifetime)
}

// releaseLease releases the lease of the writer, and reports whether the upload still exists.
func (r *Resolver) releaseLease(ctx context.Context, u ReceivingUpload, writer string) (bool, error) {
	if u.Part != nil {
		return r.db.Uploads().ReleasePart(ctx, u.ID, u.Part.Number, writer)
	}
	return r.db.Uploads().ReleaseUpload(ctx, u.ID, writer)
}

// startParts prepares the store for the parts of a new upload. If that fails, it discards the
// upload.
func (r *Resolver) startParts(ctx context.Context, upload *model.Upload) error {
	if upload.Parts == 0 {
		return nil
	}
	err := r.store.StartParts(ctx, upload.StorageKey())
	if err == nil {
		return nil
	}
	discarding, cancel := discardContext(ctx)
	defer cancel()
	if discarded := r.discard(discarding, upload); discarded != nil {
		r.logger.Warn("discard an upload whose parts could not start", "upload_id", upload.ID, "error", discarded)
	}
	return r.storeError(err)
}
