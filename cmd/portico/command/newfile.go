package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// CheckNew returns an error if something exists at the path.
func CheckNew(path string) error {
	_, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%s exists; name a new file", path)
}

// MoveNew moves a file or a folder to a path at which nothing exists. A rename would replace a file
// that another program has created there, and a link does not.
//
// Folders and some file systems have no links. A rename never replaces a file by a folder, so
// another program's file can be lost only on these file systems, between the check and the rename.
//
// A link that remains at the old path after an error of the disk does not fail the move: the file
// has its new path. The caller deletes the temporary folder or file at the old path anyway.
func MoveNew(from, to string) error {
	if err := os.Link(from, to); err == nil {
		_ = os.Remove(from)
		return nil
	}
	if err := CheckNew(to); err != nil {
		return err
	}
	return os.Rename(from, to)
}
