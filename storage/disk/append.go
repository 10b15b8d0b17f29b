package disk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"portico/storage"
)

// partialFolder contains the objects that arrive in pieces. A file there has the bytes so far, in
// their order, and no header. It survives restarts, and Open does not clean it: Assemble or
// Delete ends it.
const partialFolder = "partial"

// partialName returns the file of an object that arrives in pieces. The name is a hash, so
// that the folder has no folders to create and remove.
func partialName(key string) string {
	hash := sha256.Sum256([]byte(key))
	return partialFolder + "/" + hex.EncodeToString(hash[:])
}

// Append implements storage.Store. The bytes are synced before it returns. When the machine loses
// power before that, the file may be shorter afterwards, and Appended returns its real size.
//
// The lock keeps a second Append of the key from writing at the same place: it returns ErrOffset,
// as if it came with a wrong offset. A client then asks for the offset and continues there.
func (d *Store) Append(ctx context.Context, key string, offset int64, r io.Reader) (int64, error) {
	if err := storage.CheckKey(key); err != nil {
		return 0, err
	}
	flag := 0
	if offset == 0 { // at another offset, a new file would stay empty, and nothing would remove it
		flag = os.O_CREATE
	}
	in, size, err := d.openPartial(key, flag)
	if offset != 0 && errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("append to %s: %w: 0", key, storage.ErrOffset)
	}
	if err != nil {
		return 0, fmt.Errorf("append to %s: %w", key, storage.WrapFull(err))
	}
	defer closeAndUnlock(in.file) //nolint:errcheck // synced below
	if size != offset {
		return 0, fmt.Errorf("append to %s: %w: %d", key, storage.ErrOffset, size)
	}
	if _, err := in.file.Seek(offset, io.SeekStart); err != nil {
		return 0, fmt.Errorf("append to %s: %w", key, err)
	}
	stored, err := in.fill(ctx, r)
	if syncErr := in.file.Sync(); syncErr != nil {
		err = errors.Join(err, storage.WrapFull(syncErr))
	}
	if err != nil {
		return stored, fmt.Errorf("append to %s: %w", key, err)
	}
	return stored, nil
}

// openPartial opens and locks the file of an object that arrives in pieces, and returns its
// size.
func (d *Store) openPartial(key string, flag int) (*incoming, int64, error) {
	name := partialName(key)
	file, err := d.root.OpenFile(name, os.O_RDWR|flag, 0o640)
	if err != nil {
		return nil, 0, err
	}
	err = lockForWriting(file)
	info, statErr := file.Stat()
	if err = errors.Join(err, statErr); err != nil {
		_ = file.Close() // nothing was written
		return nil, 0, err
	}
	return &incoming{disk: d, file: file, name: name}, info.Size(), nil
}

// lockForWriting locks a file that several requests may open, or returns ErrOffset. On systems
// without locks it does nothing.
func lockForWriting(file *os.File) error {
	locked, err := tryLock(file)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err == nil && !locked {
		err = fmt.Errorf("%w: another request is writing it", storage.ErrOffset)
	}
	return err
}

// Appended implements storage.Store.
func (d *Store) Appended(_ context.Context, key string) (int64, error) {
	if err := storage.CheckKey(key); err != nil {
		return 0, err
	}
	info, err := d.root.Stat(partialName(key))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("size of the pieces of %s: %w", key, err)
	}
	return info.Size(), nil
}

// Assemble implements storage.Store. The file gets the object's name, so no byte is copied. A crash
// between the link and the removal of the other name leaves both. The next call finds the object
// with the same bytes, and removes the other name.
func (d *Store) Assemble(ctx context.Context, key string, size int64) error {
	if err := storage.CheckKey(key); err != nil {
		return err
	}
	in, appended, err := d.openPartial(key, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return storage.CheckAssembled(ctx, d, key, size)
	}
	if errors.Is(err, storage.ErrOffset) { // bytes are still arriving
		return fmt.Errorf("assemble %s: %w: %w", key, storage.ErrIncomplete, err)
	}
	if err != nil {
		return fmt.Errorf("assemble %s: %w", key, err)
	}
	if appended != size {
		_ = closeAndUnlock(in.file) // nothing was written
		return fmt.Errorf("assemble %s of %d bytes: %w: %d", key, size, storage.ErrIncomplete, appended)
	}
	if err := d.storeNew(in, key); err != nil {
		_ = closeAndUnlock(in.file) // the next call tries again
		return fmt.Errorf("assemble %s: %w", key, err)
	}
	in.discard()
	return nil
}
