package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"portico/model"
	"portico/storage"
)

// checkUploadedPath refuses an uploaded file whose extension differs from the extension of its
// path. It refuses plugins too: the server normalises their line ends, so their content is sent
// with the change set.
func checkUploadedPath(name, resourceKey string, formats []string) error {
	extension := strings.ToLower(path.Ext(name))
	if err := checkAssetFormat(extension, formats); err != nil {
		return err
	}
	switch {
	case extension == ".mjs":
		return model.Invalidf("Send the content of a plugin, not an uploaded file")
	case extension != strings.ToLower(path.Ext(resourceKey)):
		return model.Invalidf("The uploaded file has a different extension from the path")
	}
	return nil
}

// checkAssetFormat refuses plugins and assets with an extension, such as ".png", that is not among
// the formats. It refuses zips and pages too: a job extracts their content, and there is no file
// with their bytes.
func checkAssetFormat(extension string, formats []string) error {
	format := strings.TrimPrefix(extension, ".")
	if format == "zip" || format == "html" || !slices.Contains(formats, format) {
		return model.Invalidf("Files of this format cannot be stored with a space")
	}
	return nil
}

// hashUploaded sets the hashes of the files that the caller has uploaded before. It reads the
// bytes, because a hash from the client may be wrong.
//
// Several paths may name one uploaded file, which is read once.
func (r *Resolver) hashUploaded(ctx context.Context, plan *changePlan) error {
	uploaded := map[string][]*plannedFile{} // by resource key
	for _, file := range plan.files {
		if file.isUploaded {
			uploaded[file.ResourceKey] = append(uploaded[file.ResourceKey], file)
		}
	}
	if len(uploaded) == 0 {
		return nil
	}
	stored, err := r.access.OwnedFilesByKey(ctx, slices.Collect(maps.Keys(uploaded)))
	if err != nil {
		return err
	}
	if err := checkUploaded(uploaded, stored); err != nil {
		return err
	}
	var faults model.ChangeFaults
	for _, key := range slices.Sorted(maps.Keys(uploaded)) {
		sum, err := r.hashOf(ctx, stored[key])
		isDeleted := errors.Is(err, storage.ErrNotFound) // since its row was read
		if err != nil && !isDeleted {
			return err
		}
		for _, file := range uploaded[key] {
			file.SHA256 = sum
			if isDeleted {
				faults.Add(model.SpaceFolder+file.Path, model.FileNotFound)
			}
		}
	}
	return faults.Refusal()
}

// checkUploaded refuses files that cannot become assets. Both maps are by resource key.
//
// The sum limits how many bytes one request makes the server read from its store.
func checkUploaded(uploaded map[string][]*plannedFile, stored map[string]*model.File) error {
	var faults model.ChangeFaults
	total := int64(0)
	for _, key := range slices.Sorted(maps.Keys(uploaded)) {
		fault := uploadedFault(stored[key])
		if fault == "" {
			total += stored[key].Size
			continue
		}
		for _, file := range uploaded[key] {
			faults.Add(model.SpaceFolder+file.Path, "%s", fault)
		}
	}
	if total > model.MaxUploadedAssets {
		return model.TooLargef("Uploaded files have at most %d bytes together in one change set", model.MaxUploadedAssets)
	}
	return faults.Refusal()
}

// uploadedFault returns why a stored file, or nil for none, cannot become an asset; "" if it
// can.
func uploadedFault(file *model.File) string {
	switch {
	case file == nil:
		return model.FileNotFound
	case file.Objects != 1:
		return "The uploaded file is a folder of several files"
	case file.Size > model.MaxUploadedAsset:
		return fmt.Sprintf("The file has more than %d bytes", model.MaxUploadedAsset)
	}
	return ""
}

// hashOf returns the SHA-256 of a stored file in hex, and remembers it: the bytes of a file never
// change. Without that, dry runs would make the server read gigabytes again and again.
func (r *Resolver) hashOf(ctx context.Context, file *model.File) (string, error) {
	if file.SHA256 != "" {
		return file.SHA256, nil
	}
	turn, err := waitForTurn(ctx, &r.hashing, file.UserID, "Too many change sets with uploaded files at the same time")
	if err != nil {
		return "", err
	}
	defer turn.Leave()
	// Another request may have hashed the file while this one waited.
	if file.SHA256, err = r.db.Files().FileHash(ctx, file.ResourceKey); err != nil || file.SHA256 != "" {
		return file.SHA256, err
	}
	if file.SHA256, err = r.hashFile(ctx, file); err != nil {
		return "", err
	}
	return file.SHA256, r.db.Files().SetFileHash(ctx, file.ResourceKey, file.SHA256)
}

// hashFile returns the SHA-256 of a stored file in hex. It streams: a file is never in memory as a
// whole.
func (r *Resolver) hashFile(ctx context.Context, file *model.File) (_ string, err error) {
	content, err := r.store.Open(ctx, file.StorageKey())
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	sum := sha256.New()
	_, err = io.Copy(sum, content)
	return hex.EncodeToString(sum.Sum(nil)), err
}
