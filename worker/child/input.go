package child

import (
	"context"
	"io/fs"
	"path/filepath"

	"portico/splat/folder"
)

// openFiles is a folder whose files are all open, because a confined process cannot open
// files. They are closed when the process ends.
type openFiles map[string]folder.File

// openInput opens the file at the path and, for a whole folder, all files beside and below it.
func openInput(ctx context.Context, path string, wholeFolder bool) (openFiles, error) {
	directory, err := folder.OpenLocal(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer directory.Close() //nolint:errcheck // its files stay open
	files := openFiles{}
	open := func(name string) error {
		file, err := directory.Open(ctx, name)
		if err == nil {
			files[name] = file
		}
		return err
	}
	if !wholeFolder {
		return files, open(filepath.Base(path))
	}
	err = filepath.WalkDir(filepath.Dir(path), func(at string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(filepath.Dir(path), at)
		if err != nil {
			return err
		}
		return open(filepath.ToSlash(name))
	})
	return files, err
}

// Open implements folder.Reader.
func (o openFiles) Open(_ context.Context, name string) (folder.File, error) {
	file, ok := o[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return sharedFile{file}, nil
}

// sharedFile is a file that may be opened several times: Close leaves it open.
type sharedFile struct{ folder.File }

// Close does nothing.
func (sharedFile) Close() error { return nil }
