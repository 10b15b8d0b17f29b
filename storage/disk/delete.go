package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"portico/storage"
)

// Delete implements storage.Store. The bytes of pieces and the compressed form are deleted first:
// if the process ends in between, the object is still there for the next call.
func (d *Store) Delete(_ context.Context, key string) error {
	if err := storage.CheckKey(key); err != nil {
		return err
	}
	if err := d.root.Remove(partialName(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete the pieces of %s: %w", key, err)
	}
	if err := d.root.RemoveAll(partsFolder(key)); err != nil {
		return fmt.Errorf("delete the parts of %s: %w", key, err)
	}
	if err := d.remove(compressedName(key), false, d.root.Remove); err != nil {
		return err
	}
	return d.remove(objectName(key), false, d.root.Remove)
}

// DeletePrefix implements storage.Store. It is not atomic: after an error some objects may be left,
// and the caller calls it again.
func (d *Store) DeletePrefix(ctx context.Context, prefix string) error {
	folder := strings.TrimSuffix(prefix, "/")
	if err := storage.CheckKey(folder); err != nil { // also of the empty prefix, which is everything
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("delete %s: %w", folder, err)
	}
	if err := d.remove(compressedName(folder), true, d.root.RemoveAll); err != nil {
		return err
	}
	return d.remove(objectName(folder), true, d.root.RemoveAll)
}

// remove removes a file, or a folder of files. It does nothing if the other kind has
// the name: the caller did not mean it.
func (d *Store) remove(name string, folder bool, remove func(name string) error) error {
	info, err := d.root.Lstat(name)
	if err == nil && info.IsDir() != folder {
		return nil
	}
	if err == nil {
		err = remove(name)
	}
	if err == nil {
		err = d.prune(path.Dir(name))
	}
	if err != nil && !errors.Is(wrapNotFound(err), storage.ErrNotFound) {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return nil
}

// prune removes the folders that a deletion left empty, so that their names are free for objects
// again, as in a store without folders. It syncs the first folder that stays, so that deleted
// objects do not come back after a loss of power. Removing a folder that is not empty fails, which
// ends the loop. It may remove a folder that a Put has just created; moveInto then creates the
// folder again.
func (d *Store) prune(folder string) error {
	for path.Dir(folder) != "." && d.root.Remove(folder) == nil {
		folder = path.Dir(folder)
	}
	return d.syncFolder(folder)
}
