package storage

import (
	"context"
	"fmt"
	"path/filepath"
)

// Local is a Store whose objects are files of this machine. It saves a copy to
// who needs a path, as a program does that is run on an object.
type Local interface {
	Store
	// LocalPath returns the absolute path of the object's file, or answers
	// ErrNotFound. Objects of one folder lie in one folder. The file is the
	// object itself: it is for reading only. It may be deleted or replaced at
	// any time; who has it open keeps what was opened.
	LocalPath(ctx context.Context, key string) (string, error)
}

// LocalPath implements Local.
func (d *Disk) LocalPath(ctx context.Context, key string) (string, error) {
	// Stat goes through the root, so an object whose path leads out of the
	// folder, by a link, is none.
	if _, err := d.Stat(ctx, key); err != nil {
		return "", err
	}
	folder, err := filepath.Abs(d.root.Name())
	if err != nil {
		return "", fmt.Errorf("find object %s: %w", key, err)
	}
	return filepath.Join(folder, filepath.FromSlash(objectName(key))), nil
}
