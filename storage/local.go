package storage

import (
	"context"
	"fmt"
	"path/filepath"
)

// Local is a Store whose objects are files of this machine. It saves a copy for programs
// that need a path.
type Local interface {
	Store
	// LocalPath returns the absolute path of the object's file, or ErrNotFound. The objects
	// of one folder are files of one folder. The file is the object itself: only read it.
	// It may be deleted or replaced at any time; an open file keeps its content.
	LocalPath(ctx context.Context, key string) (string, error)
}

// LocalPath implements Local.
func (d *Disk) LocalPath(ctx context.Context, key string) (string, error) {
	// Stat uses the root, so it does not find an object whose path leads out of the
	// folder by a link.
	if _, err := d.Stat(ctx, key); err != nil {
		return "", err
	}
	folder, err := filepath.Abs(d.root.Name())
	if err != nil {
		return "", fmt.Errorf("find object %s: %w", key, err)
	}
	return filepath.Join(folder, filepath.FromSlash(objectName(key))), nil
}
