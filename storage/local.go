package storage

import (
	"context"
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
