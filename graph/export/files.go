package export

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"portico/model"
	"portico/storage"
)

// writeFiles writes the bytes of the account's files, and then the list of the files.
//
// Plugins and assets are files of the account too, but are written with their spaces, once.
func (e *exporter) writeFiles() error {
	var written []model.ExportedUpload
	err := eachRow(func(page model.Page) (*model.Connection[*model.File], error) {
		found, err := e.DB.Files().Files(e.ctx, e.User.ID, model.FileFilter{}, page)
		return (*model.Connection[*model.File])(found), err
	}, func(file *model.File) error {
		if e.inSpaces[file.ResourceKey] {
			return nil
		}
		if err := e.check(); err != nil {
			return err
		}
		exported, err := e.writeUpload(file)
		if err == nil && exported != nil {
			written = append(written, *exported)
		}
		return err
	})
	if err != nil {
		return err
	}
	return e.archive.addList(model.ExportFilesFile, func(yield func(any) error) error {
		for _, file := range written {
			if err := yield(file); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeUpload writes the objects of a file and returns its description; nil if the file was deleted
// since the list was read.
//
// A file has its bytes at the key of its upload, or below a folder if it was extracted from a zip.
func (e *exporter) writeUpload(file *model.File) (*model.ExportedUpload, error) {
	upload, err := e.DB.Uploads().Upload(e.ctx, file.UploadID)
	if model.CodeOf(err) == model.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	exported := &model.ExportedUpload{
		ResourceKey: file.ResourceKey, URL: e.Store.PublicURL(file.StorageKey()), Name: file.Name, ContentType: file.ContentType,
		Size: file.Size, Folder: model.ExportFilesFolder + file.UploadID + "/", Primary: strings.TrimPrefix(path.Base(file.ResourceKey), file.UploadID+"_"), Objects: 1,
		Start: file.OwnStart, CreatedAt: file.CreatedAt,
	}
	if !file.IsExtracted(upload) {
		err = e.writeObject(exported.Folder+exported.Primary, file.StorageKey())
	} else {
		// Beside this folder, there may be the folder of a conversion that was killed or is late.
		exported.Primary = path.Base(file.ResourceKey)
		exported.Objects, err = e.writeExtracted(exported.Folder, path.Dir(file.StorageKey())+"/")
	}
	if errors.Is(err, errDeleted) {
		return nil, nil
	}
	return exported, err
}

// writeExtracted writes the objects below a folder of the store, and returns their number. It
// checks before each object whether the export must end, because a folder may have thousands of
// them.
func (e *exporter) writeExtracted(folder, root string) (objects int, err error) {
	for object, err := range e.Store.List(e.ctx, root) {
		if err != nil {
			return objects, err
		}
		if err := e.check(); err != nil {
			return objects, err
		}
		if err := e.writeObject(folder+strings.TrimPrefix(object.Key, root), object.Key); err != nil {
			return objects, err
		}
		objects++
	}
	if objects == 0 {
		return 0, errDeleted
	}
	return objects, nil
}

// errDeleted is the error of an object that was deleted since the list was read. The archive has no
// entry for it.
var errDeleted = errors.New("the object was deleted")

// writeObject writes an object of the store to the archive, with this name. The object is opened
// before its entry is created, so a missing object leaves no empty entry. An object that is deleted
// while it is copied fails the export, because its entry has only a part of it.
func (e *exporter) writeObject(name, key string) error {
	content, err := e.Store.Open(e.ctx, key)
	if errors.Is(err, storage.ErrNotFound) {
		return errDeleted
	}
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // nothing was written
	err = e.archive.addFile(name, func(w io.Writer) error {
		_, err := io.Copy(w, content)
		return err
	})
	if err != nil {
		return fmt.Errorf("export %s: %w", name, err)
	}
	return nil
}
