package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"portico/model"
)

// checkUploadedPath refuses a file that was uploaded before where it would be shown as what
// it is not. Plugins are text, whose lines end in LF: they are sent with the change set.
func checkUploadedPath(name, resourceKey string, formats []string) error {
	extension := strings.ToLower(path.Ext(name))
	if err := checkAssetFormat(extension, formats); err != nil {
		return err
	}
	switch {
	case extension == ".mjs":
		return model.Invalidf("A plugin needs its content")
	case extension != strings.ToLower(path.Ext(resourceKey)):
		return model.Invalidf("The uploaded file has another extension")
	}
	return nil
}

// checkAssetFormat refuses plugins and assets with an extension, such as ".png", that is not
// among the formats.
func checkAssetFormat(extension string, formats []string) error {
	format := strings.TrimPrefix(extension, ".")
	if format == "zip" || !slices.Contains(formats, format) {
		return model.Invalidf("Files of this format cannot be stored with a space")
	}
	return nil
}

// readUploaded computes the hashes of the plan's files that the caller has uploaded before.
// A client's hash would be a claim about bytes that the server has.
func (r *Resolver) readUploaded(ctx context.Context, plan *changePlan) error {
	var keys []string
	for _, file := range plan.files {
		if file.isUploaded {
			keys = append(keys, file.ResourceKey)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	stored, err := r.ownedFilesByKey(ctx, keys)
	if err != nil {
		return err
	}
	var faults model.ChangeFaults
	left := int64(model.MaxUploadedAssets)
	for _, file := range plan.files {
		if !file.isUploaded {
			continue
		}
		from := stored[file.ResourceKey]
		switch {
		case from == nil:
			faults.Add(model.SpaceFolder+file.Path, "%s", model.FileNotFound)
			continue
		case from.Objects != 1:
			faults.Add(model.SpaceFolder+file.Path, "The uploaded file is a folder of several files")
			continue
		case from.Size > model.MaxUploadedAsset:
			faults.Add(model.SpaceFolder+file.Path, "The file has more than %d bytes", model.MaxUploadedAsset)
			continue
		}
		if left -= from.Size; left < 0 {
			return model.TooLargef("Files that were uploaded before have at most %d bytes together in one change set", model.MaxUploadedAssets)
		}
		if file.SHA256, err = r.hashFile(ctx, from); err != nil {
			return err
		}
	}
	return faults.Refusal()
}

// hashFile returns the SHA-256 of a stored file in hex.
func (r *Resolver) hashFile(ctx context.Context, file *model.File) (_ string, err error) {
	content, err := r.Store.Open(ctx, file.StorageKey())
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	sum := sha256.New()
	_, err = io.Copy(sum, content)
	return hex.EncodeToString(sum.Sum(nil)), err
}
