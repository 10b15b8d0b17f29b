package graph

import (
	"bytes"
	"cmp"
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
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/model"
	"portico/storage"
)

// plannedFolder are the changes of one plugin folder. The files that a change set does not name
// stay, unless it deletes the folder first.
type plannedFolder struct {
	puts    map[string][]byte // by the name in the folder
	deletes map[string]bool
	// isReplaced means that the change set deletes the folder, and then puts what is in puts.
	isReplaced bool
	// base is the resource key of the folder whose files are kept; empty for none. The folder of
	// the space must still be this one in the transaction.
	base string
}

// folderFile is a file of a plugin folder: its content, or the key of its object in the store.
type folderFile struct {
	name    string
	size    int64
	content []byte
	key     string
}

// folder returns the changes of the plugin folder with this path.
func (p *changePlan) folder(name string) *plannedFolder {
	if p.folders == nil {
		p.folders = map[string]*plannedFolder{}
	}
	if p.folders[name] == nil {
		p.folders[name] = &plannedFolder{puts: map[string][]byte{}, deletes: map[string]bool{}}
	}
	return p.folders[name]
}

// planFolderFile adds a file of a plugin folder to the plan. Any format is allowed: the folder is
// never extracted, inspected or shown, and what a browser does with a file depends on its media
// type.
func (p *changePlan) planFolderFile(target model.ChangePath, put model.FilePut, settings Settings) error {
	switch {
	case target.Inner == "":
		return model.Invalidf("A plugin is a .mjs file, or a folder with the file %s", model.PluginIndex)
	case put.ResourceKey != "":
		return model.Invalidf("Send the content of a plugin, not an uploaded file")
	case len(put.Content) > model.MaxAsset:
		return model.Invalidf("%s", model.AssetTooLarge())
	}
	content := put.Content
	if model.IsPluginText(target.Inner) {
		content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	}
	p.folder(target.File).puts[target.Inner] = content
	return checkAssetFormat(path.Ext(model.PluginIndex), settings.Formats)
}

// planFolderDeletion adds the deletion of a plugin folder, or of a file in it, to the plan.
func (p *changePlan) planFolderDeletion(target model.ChangePath) {
	if target.Inner == "" {
		p.folder(target.File).isReplaced = true
		return
	}
	p.folder(target.File).deletes[target.Inner] = true
}

// mergeFolders adds the plugin folders to the plan as they become: with the files that the space
// has and the change set does not name. A folder without a file is deleted.
func (r *Resolver) mergeFolders(ctx context.Context, plan *changePlan, filesBefore map[string]*model.SpaceFile) error {
	var faults model.ChangeFaults
	kept := int64(0)
	for _, name := range slices.Sorted(maps.Keys(plan.folders)) {
		folder := plan.folders[name]
		files := map[string]folderFile{}
		if before := filesBefore[name]; before != nil && !folder.isReplaced {
			folder.base = before.ResourceKey
			for object, err := range r.store.List(ctx, folderRoot(plan.space, before)) {
				if err != nil {
					return fmt.Errorf("list the files of %s: %w", name, err)
				}
				inner := strings.TrimPrefix(object.Key, folderRoot(plan.space, before))
				if _, isPut := folder.puts[inner]; isPut || folder.deletes[inner] {
					continue
				}
				files[inner] = folderFile{name: inner, size: object.Size, key: object.Key}
				kept += object.Size
			}
		}
		for inner, content := range folder.puts {
			files[inner] = folderFile{name: inner, size: int64(len(content)), content: content}
		}
		if len(files) == 0 {
			plan.deletedFiles = append(plan.deletedFiles, name)
			continue
		}
		sizes := map[string]int64{}
		for inner, file := range files {
			sizes[inner] = file.size
		}
		faults = append(faults, model.CheckPluginFolder(name, sizes)...)
		plan.files = append(plan.files, &plannedFile{
			SpaceFile: model.SpaceFile{SpaceID: plan.space.ID, Path: name}, folder: slices.Collect(maps.Values(files)),
		})
	}
	if kept > model.MaxKeptFiles {
		return model.TooLargef("The plugin folders of one change set keep at most %d bytes of other files", model.MaxKeptFiles)
	}
	if err := cmp.Or(faults.Refusal(), plan.checkFolderNames(filesBefore)); err != nil {
		return err
	}
	return r.hashFolders(ctx, plan)
}

// checkFolderNames refuses plugin folders whose names differ only in case, which would be one folder
// on some systems.
func (p *changePlan) checkFolderNames(filesBefore map[string]*model.SpaceFile) error {
	names := map[string]string{}
	for name, file := range filesBefore {
		if file.IsFolder() && !slices.Contains(p.deletedFiles, name) {
			names[model.FoldCase(name)] = name
		}
	}
	var faults model.ChangeFaults
	for _, file := range p.files {
		if !file.IsFolder() {
			continue
		}
		folded := model.FoldCase(file.Path)
		if other := names[folded]; other != "" && other != file.Path {
			faults.Add(model.SpaceFolder+file.Path, "The name differs only in case from %s%s", model.SpaceFolder, other)
		}
		names[folded] = file.Path
	}
	return faults.Refusal()
}

// hashFolders sets the hashes of the plugin folders of the plan.
func (r *Resolver) hashFolders(ctx context.Context, plan *changePlan) error {
	for _, planned := range plan.files {
		if planned.folder == nil {
			continue
		}
		sums := map[string]string{}
		for _, file := range planned.folder {
			sum := sha256.New()
			err := r.readFolderFile(ctx, file, func(content io.Reader) error {
				_, err := io.Copy(sum, content)
				return err
			})
			if errors.Is(err, storage.ErrNotFound) { // deleted since it was listed
				return model.FileConflicts{model.SpaceFolder + planned.Path}.Refusal()
			}
			if err != nil {
				return err
			}
			sums[file.name] = hex.EncodeToString(sum.Sum(nil))
		}
		planned.SHA256 = model.FolderSHA256(sums)
	}
	return nil
}

// readFolderFile calls read with the content of a file.
func (r *Resolver) readFolderFile(ctx context.Context, file folderFile, read func(io.Reader) error) error {
	if file.key == "" {
		return read(bytes.NewReader(file.content))
	}
	return r.readStored(ctx, file.key, read)
}

// readStored calls read with the content of an object.
func (r *Resolver) readStored(ctx context.Context, key string, read func(io.Reader) error) (err error) {
	content, err := r.store.Open(ctx, key)
	if err != nil {
		return fmt.Errorf("open %s: %w", key, err)
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	return read(content)
}

// checkFolders refuses the plan if a plugin folder whose files it keeps has changed since they were
// read.
func (p *changePlan) checkFolders(filesBefore map[string]*model.SpaceFile) error {
	var conflicts model.FileConflicts
	for _, name := range slices.Sorted(maps.Keys(p.folders)) {
		current := ""
		if before := filesBefore[name]; before != nil {
			current = before.ResourceKey
		}
		if folder := p.folders[name]; !folder.isReplaced && current != folder.base {
			conflicts = append(conflicts, model.SpaceFolder+name)
		}
	}
	return conflicts.Refusal()
}

// folderLifetime is the maximum time in which the files of a plugin folder are stored. Afterwards the
// purge deletes them, unless a row refers to them.
const folderLifetime = time.Hour

// storeFolder stores a plugin folder as one file of the caller, as if it had been extracted from an
// archive, by the rules of an upload for its size and the quota.
//
// The removal of the objects is recorded before they are stored, and canceled in the transaction
// that adds the row. So nothing is left of a folder after a crash. If the transaction may be
// committed, the file may stay with the account without a path.
func (r *Resolver) storeFolder(ctx context.Context, planned *plannedFile) (*model.File, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	in := model.CreateUpload{FileName: planned.name() + ".folder", ContentType: storage.MediaType(model.PluginIndex)}
	for _, file := range planned.folder {
		in.FileSize += model.FileSize(file.size)
	}
	if err := checkFileSize(int64(in.FileSize), r.settings.MaxFileSize); err != nil {
		return nil, err
	}
	upload, err := r.addUpload(ctx, c, in)
	if err != nil {
		return nil, err
	}
	file := model.NewFile(upload)
	file.ResourceKey, file.Name, file.Objects = upload.ExtractedRoot()+model.PluginIndex, planned.name()+"/"+model.PluginIndex, len(planned.folder)
	err = r.db.Files().ScheduleRemovals(ctx, time.Now().Add(folderLifetime), upload.StorageRoot())
	if err == nil {
		err = r.reserved(ctx, upload, func(ctx context.Context) error { return r.putFolder(ctx, upload, planned) })
	}
	if err == nil {
		err = r.confirmFolder(ctx, upload, file)
	}
	if err == nil || db.MayBeCommitted(err) {
		return file, err
	}
	discarding, cancel := discardContext(ctx)
	defer cancel()
	if discardErr := errors.Join(r.discard(discarding, upload), r.objects.RemoveFolder(discarding, upload.StorageRoot())); discardErr != nil {
		r.logger.Warn("discard a plugin folder that could not be stored", "folder", planned.Path, "error", discardErr)
	}
	return nil, r.storeError(err)
}

// putFolder stores the objects of a plugin folder. PluginIndex is the last, so that a reader who
// finds it finds what it imports.
func (r *Resolver) putFolder(ctx context.Context, upload *model.Upload, planned *plannedFile) (err error) {
	batch := storage.NewBatch(r.store)
	defer func() { err = errors.Join(err, batch.Close()) }()
	slices.SortFunc(planned.folder, func(a, b folderFile) int {
		if isIndex := a.name == model.PluginIndex; isIndex != (b.name == model.PluginIndex) {
			if isIndex {
				return 1
			}
			return -1
		}
		return strings.Compare(a.name, b.name)
	})
	for _, file := range planned.folder {
		err := r.readFolderFile(ctx, file, func(content io.Reader) error {
			stored, err := batch.Put(ctx, upload.StorageRoot()+file.name, content)
			if err == nil && stored != file.size {
				err = fmt.Errorf("store %s of %s: got %d bytes, want %d", file.name, planned.Path, stored, file.size)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return batch.Commit()
}

// confirmFolder adds the file of a stored plugin folder.
func (r *Resolver) confirmFolder(ctx context.Context, upload *model.Upload, file *model.File) error {
	return r.db.InTx(ctx, func(tx *db.DB) error {
		if err := ensureReserved(ctx, tx, upload); err != nil {
			return err
		}
		if err := requirePending(tx.Files().StoreFile(ctx, file, model.UploadPending)); err != nil {
			return err
		}
		isKept, err := tx.Files().CancelRemoval(ctx, upload.StorageRoot())
		if err == nil && !isKept {
			err = fmt.Errorf("store the folder %s: it took more than %s", file.Name, folderLifetime)
		}
		return err
	})
}

// folderRoot returns the key in the store of a plugin folder, with its final slash.
func folderRoot(space *model.Space, file *model.SpaceFile) string {
	return path.Dir(spaceFileKey(space, file.ResourceKey)) + "/"
}
