package splat

import (
	"context"
	"errors"

	"portico/splat/folder"
	"portico/splat/input"
)

// fetchedFiles is a folder that refuses pointers of Git LFS, whatever they are called. A repository
// that was cloned or downloaded without its large files has them in their places.
type fetchedFiles struct{ folder.Reader }

// Open opens a file. A pointer is an *input.Error.
func (f fetchedFiles) Open(ctx context.Context, name string) (folder.File, error) {
	file, err := f.Reader.Open(ctx, name)
	if err != nil || file.Size() > input.MaxPointerSize {
		return file, err
	}
	content := make([]byte, file.Size())
	n, _ := file.ReadAt(content, 0) // its reader says why a file cannot be read
	if !input.IsPointer(content[:n]) {
		return file, nil
	}
	return nil, errors.Join(input.Pointer(name), file.Close())
}
