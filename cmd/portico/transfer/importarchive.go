package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"portico/model"
	"portico/splat"
	"portico/splat/archive"
)

// importLimits returns the limits of an imported archive. They are higher than the limits of
// uploads, because an export contains all captures of an account. The directory and the manifests
// are read into memory; DirectoryBytes and ManifestBytes limit them.
func importLimits() archive.Limits {
	limits := archive.DefaultLimits()
	limits.Entries, limits.DirectoryBytes = 2_000_000, 512<<20
	limits.FileBytes, limits.TotalBytes, limits.ManifestBytes = 1<<40, 16<<40, 512<<20
	return limits
}

// exportArchive is an opened and checked export. The format is described in model/account.go,
// and the package archive checks the zip itself.
//
// Everything except the content of the files is in memory. The zip stays open, and content reads
// from it.
type exportArchive struct {
	file     *os.File
	zip      *archive.Zip
	manifest model.AccountManifest
	sizes    map[string]int64 // of the files of the archive, by path
	// folders are the paths in each folder of a file or a space, in the order of the archive.
	folders map[string][]string
	account model.ExportedAccount
	follows []model.ExportedFollow
	files   []model.ExportedUpload
	spaces  []model.ExportedSpace
	avatars []model.ExportedAvatar
}

// openExport opens an archive and checks all of it, including the checksums, so that a damaged
// or hostile archive is refused before anything is sent.
//
// The file must not change until close: what was checked is read again when it is sent.
func openExport(ctx context.Context, name string) (_ *exportArchive, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	a := &exportArchive{file: file, sizes: map[string]int64{}, folders: map[string][]string{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if a.zip, err = archive.Open(file, info.Size(), importLimits()); err != nil {
		return nil, err
	}
	// Each step needs the result of the step before: the manifest names the files, and a list is
	// decoded only after its checksum was verified.
	for _, check := range []func(context.Context) error{a.readManifest, a.checkChecksums, a.readLists} {
		if err := check(ctx); err != nil {
			return nil, err
		}
	}
	return a, a.checkReferences()
}

func (a *exportArchive) close() error { return a.file.Close() }

// readManifest reads the manifest and checks that it lists every file of the archive once.
func (a *exportArchive) readManifest(ctx context.Context) error {
	if err := a.read(ctx, model.ExportManifest, &a.manifest); err != nil {
		return err
	}
	switch {
	case a.manifest.Format != model.ExportFormat:
		return archiveError(model.ExportManifest, "is not the manifest of an export of Portico")
	case a.manifest.Version < 1 || a.manifest.Version > model.ExportVersion:
		return archiveError(model.ExportManifest, fmt.Sprintf("has version %d; this portico reads versions 1 to %d", a.manifest.Version, model.ExportVersion))
	}
	for _, part := range a.manifest.Files {
		if _, twice := a.sizes[part.Path]; twice {
			return archiveError(part.Path, "is in the manifest twice")
		}
		a.sizes[part.Path] = part.Size
		if parts := strings.SplitAfterN(part.Path, "/", 3); len(parts) == 3 {
			folder := parts[0] + parts[1]
			a.folders[folder] = append(a.folders[folder], parts[2])
		}
	}
	for _, name := range a.zip.Names() {
		if _, listed := a.sizes[name]; !listed && name != model.ExportManifest {
			return archiveError(name, "is not in the manifest")
		}
	}
	return nil
}

// checkChecksums reads every file of the archive and compares it with its checksum.
func (a *exportArchive) checkChecksums(ctx context.Context) error {
	for _, part := range a.manifest.Files {
		content, err := a.zip.OpenFile(ctx, part.Path)
		if err != nil {
			return err
		}
		sum := sha256.New()
		size, err := io.Copy(sum, content)
		if err != nil {
			return err
		}
		if size != part.Size || hex.EncodeToString(sum.Sum(nil)) != part.SHA256 {
			return archiveError(part.Path, "differs from its checksum in the manifest")
		}
	}
	return nil
}

// readLists reads the profile, the followed accounts, the files, the spaces, and the avatars if the
// archive has them.
func (a *exportArchive) readLists(ctx context.Context) error {
	lists := map[string]any{
		model.ExportAccountFile: &a.account, model.ExportFollowsFile: &a.follows,
		model.ExportFilesFile: &a.files, model.ExportSpacesFile: &a.spaces,
	}
	if _, ok := a.sizes[model.ExportAvatarsFile]; ok {
		lists[model.ExportAvatarsFile] = &a.avatars
	}
	for name, list := range lists {
		if err := a.read(ctx, name, list); err != nil {
			return err
		}
	}
	return nil
}

// checkReferences returns an error for a listed file or space that is not in the archive.
func (a *exportArchive) checkReferences() error {
	for _, file := range a.files {
		if _, ok := a.sizes[file.Folder+file.Primary]; !ok || !isFolderOf(file.Folder, model.ExportFilesFolder) {
			return archiveError(file.Name, "is listed, but not in the archive")
		}
	}
	for _, space := range a.spaces {
		if _, ok := a.sizes[space.Folder+model.RoomPath]; !ok || !model.IsSpaceID(space.ID) || !isFolderOf(space.Folder, model.ExportSpacesFolder) {
			return archiveError(space.Folder, "is listed, but not in the archive")
		}
	}
	return nil
}

// isFolderOf reports whether the folder is a direct child of parent.
func isFolderOf(folder, parent string) bool {
	name, ok := strings.CutPrefix(folder, parent)
	return ok && len(name) > 1 && strings.Index(name, "/") == len(name)-1
}

// content returns the content of a file of the archive, or an error if it has more than maxBytes
// bytes.
func (a *exportArchive) content(ctx context.Context, name string, maxBytes int64) ([]byte, error) {
	r, err := a.zip.OpenFile(ctx, name)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err == nil && int64(len(content)) > maxBytes {
		err = archiveError(name, fmt.Sprintf("has more than %d bytes", maxBytes))
	}
	return content, err
}

// read decodes a JSON file of the archive into v.
func (a *exportArchive) read(ctx context.Context, name string, v any) error {
	content, err := a.content(ctx, name, importLimits().ManifestBytes)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, v); err != nil {
		return archiveError(name, "does not have the form that an export has")
	}
	return nil
}

func archiveError(file, message string) error {
	return &splat.InputError{File: file, Message: message}
}
