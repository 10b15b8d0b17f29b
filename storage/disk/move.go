package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"portico/storage"
)

// moveToKey moves a sealed file to its key. move is a rename, which replaces, or a link, which
// returns fs.ErrExist if the key is taken. After nil and after fs.ErrExist, the object of the key
// survives a loss of power. The order is bytes, name, folders: a crash leaves no object, or a
// complete one.
func (d *Store) moveToKey(move func(from, to string) error, in *incoming, key string) error {
	name := objectName(key)
	moveErr := d.moveInto(move, in.name, name)
	if moveErr != nil && !errors.Is(moveErr, fs.ErrExist) {
		return fmt.Errorf("place object: %w", storage.WrapFull(moveErr))
	}
	// Even after fs.ErrExist: the process that placed the object may not have synced it yet.
	if err := d.syncFolders(path.Dir(name)); err != nil {
		return err
	}
	return moveErr
}

// moveInto moves the file into its folder, which it creates if it is missing. It tries again
// if a deletion removes the still empty folder in between.
func (d *Store) moveInto(move func(from, to string) error, from, to string) error {
	var err error
	for range maxTries {
		// Most objects of a capture have a folder already.
		if err = move(from, to); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err = d.makeFolder(path.Dir(to)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// makeFolder creates a folder and its parents. It returns fs.ErrNotExist if other requests
// create and delete one of them at the same time. MkdirAll would then return fs.ErrExist, which
// moveToKey would take for an existing object.
func (d *Store) makeFolder(folder string) error {
	err := d.root.MkdirAll(folder, 0o750)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make folder %s: %w", folder, fs.ErrNotExist)
	}
	return err
}

// syncFolders syncs a folder and all its parents. Another process may just have created a
// parent without syncing it yet, and syncing an unchanged folder costs little.
func (d *Store) syncFolders(folder string) error {
	for ; ; folder = path.Dir(folder) {
		if err := d.syncFolder(folder); err != nil {
			return err
		}
		if folder == "." {
			return nil
		}
	}
}

// syncFolder syncs one folder. It ignores a missing folder: a deletion removed it with its
// content, so there is nothing to sync.
func (d *Store) syncFolder(folder string) error {
	file, err := d.root.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	defer file.Close() //nolint:errcheck // a folder, opened to be synced
	if err := file.Sync(); err != nil {
		return fmt.Errorf("sync folder: %w", storage.WrapFull(err))
	}
	return nil
}
