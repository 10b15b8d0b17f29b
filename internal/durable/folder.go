// Package durable makes the changes of a folder survive a power cut. Every package may use it;
// storage syncs its own folders, which it opens below a root.
package durable

import (
	"errors"
	"os"
)

// SyncFolder writes the names in a folder to the disk: a file that was just created, renamed or
// linked in the folder has its name after a power cut.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
