package child

import (
	"bytes"
	"context"
	"io/fs"
	"math"
	"path/filepath"
	"syscall"

	"portico/splat/folder"
)

// openFiles is a folder whose files are all open or mapped, because a confined process cannot open
// files. They are closed when the process ends.
type openFiles map[string]folder.File

// maxOpenFiles is the maximum number of files of a capture that are open. Further ones are mapped
// into the address space, which needs no descriptor: captures have tens of thousands of chunks, and
// systems allow fewer open files.
const maxOpenFiles = 512

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
		if err == nil && len(files) >= maxOpenFiles {
			file, err = mapFile(file)
		}
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

// mapFile maps a file and closes it. A file that cannot be mapped stays open.
func mapFile(file folder.File) (folder.File, error) {
	descriptor, ok := file.(interface{ Fd() uintptr })
	if !ok || file.Size() == 0 || file.Size() > math.MaxInt {
		return file, nil
	}
	content, err := syscall.Mmap(int(descriptor.Fd()), 0, int(file.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return file, nil //nolint:nilerr // systems limit the number of mappings too
	}
	return mappedFile{bytes.NewReader(content)}, file.Close()
}

// mappedFile is a mapped file.
type mappedFile struct{ *bytes.Reader }

// Close does nothing: the mapping ends with the process.
func (mappedFile) Close() error { return nil }

// sharedFile is a file that may be opened several times: Close leaves it open.
type sharedFile struct{ folder.File }

// Close does nothing.
func (sharedFile) Close() error { return nil }
