package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// place gives a sealed file its key, by a rename, which replaces, or a link,
// which does not: then the error is fs.ErrExist. When it returns one of these
// two, the object of the key survives a loss of power.
func (d *Disk) place(move func(from, to string) error, in *incoming, key string) error {
	name := objectName(key)
	moved := d.moveInto(move, in.name, name)
	if moved != nil && !errors.Is(moved, fs.ErrExist) {
		return fmt.Errorf("place object: %w", full(moved))
	}
	// Also when it existed: whoever placed it may not have come this far yet.
	if err := d.syncFolders(path.Dir(name)); err != nil {
		return err
	}
	return moved
}

// moveInto makes the folder and moves the file into it, again when a deletion
// takes the folder, empty as it is, away in between.
func (d *Disk) moveInto(move func(from, to string) error, from, to string) error {
	var err error
	for range tries {
		if err = d.makeFolder(path.Dir(to)); err == nil {
			err = move(from, to)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// makeFolder makes a folder and those above it. The error is fs.ErrNotExist where
// one of them is made and deleted by others meanwhile. MkdirAll says fs.ErrExist of
// one that was there when it made it and gone when it looked again, which place
// would take for the object's.
func (d *Disk) makeFolder(folder string) error {
	err := d.root.MkdirAll(folder, 0o750)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make folder %s: %w", folder, fs.ErrNotExist)
	}
	return err
}

// syncFolders writes down a folder and those above it. All of them, because a
// folder that was there already may have been made just now by another
// process that has not synced it yet; one that has nothing new costs little.
func (d *Disk) syncFolders(folder string) error {
	for ; ; folder = path.Dir(folder) {
		if err := d.syncFolder(folder); err != nil {
			return err
		}
		if folder == "." {
			return nil
		}
	}
}

// syncFolder writes down one folder. One that is gone was deleted after what
// this is called for, and there is nothing left to keep.
func (d *Disk) syncFolder(folder string) error {
	file, err := d.root.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	defer file.Close() //nolint:errcheck // a folder, opened to be synced
	if err := file.Sync(); err != nil {
		return fmt.Errorf("sync folder: %w", full(err))
	}
	return nil
}
