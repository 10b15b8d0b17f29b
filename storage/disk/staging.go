package disk

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"sync/atomic"
	"time"

	"portico/storage"
)

// staging is a folder of files that are written and have no names among the objects yet. It
// is in the incoming folder, and locked like an incoming file.
type staging struct {
	disk *Store
	// name is the path of the folder below the root of disk, and folder is open for its lock and
	// for moves.
	name   string
	folder *os.File
	// root is the folder too. A path of one name is much faster to open than a longer one.
	root *os.Root
	// files is the number of the last file, which is its name.
	files atomic.Int64
}

// newStaging creates and locks a folder. As with newIncoming, another process may remove it
// before it is locked.
func (d *Store) newStaging() (*staging, error) {
	for range maxTries {
		in := &incoming{disk: d, name: incomingFolder + "/" + rand.Text()}
		if err := d.root.Mkdir(in.name, 0o750); err != nil {
			return nil, fmt.Errorf("create incoming folder: %w", storage.WrapFull(err))
		}
		s, err := d.openStaging(in)
		if !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
	}
	return nil, errors.New("other processes remove new incoming folders before they can be locked")
}

// openStaging opens and locks a new folder. It returns fs.ErrNotExist if another process has
// removed it. After any error it removes the folder.
func (d *Store) openStaging(in *incoming) (_ *staging, err error) {
	defer func() {
		if err != nil {
			in.discard()
		}
	}()
	in.file, err = d.root.Open(in.name)
	if err != nil {
		return nil, err
	}
	owned, err := in.lockNew()
	if err == nil && !owned {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	root, err := d.root.OpenRoot(in.name)
	if err != nil {
		return nil, err
	}
	return &staging{disk: d, name: in.name, folder: in.file, root: root}, nil
}

// write writes a file and returns its name in the folder. After an error there is none. Its
// time is explicit as in incoming.seal.
func (s *staging) write(ctx context.Context, r io.Reader) (name string, size int64, err error) {
	name = strconv.FormatInt(s.files.Add(1), 10)
	file, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return "", 0, fmt.Errorf("create incoming file: %w", storage.WrapFull(err))
	}
	in := &incoming{disk: s.disk, file: file, name: path.Join(s.name, name)}
	size, err = in.fill(ctx, r)
	if err == nil {
		now := time.Now()
		err = s.root.Chtimes(name, now, now)
	}
	switch {
	case err != nil:
	case size >= syncedAtOnce:
		err = storage.WrapFull(file.Sync())
	case size >= writebackMin:
		startWriteback(file)
	}
	if err = errors.Join(err, storage.WrapFull(file.Close()), ctx.Err()); err != nil {
		_ = s.root.Remove(name) // close removes what is left
		return "", 0, err
	}
	return name, size, nil
}

// sync returns when the bytes of the objects are on the disk. If the system cannot sync a file
// system, it syncs the objects one by one.
func (s *staging) sync(objects []stagedFile) error {
	unsynced := 0
	for _, object := range objects {
		if !object.synced {
			unsynced++
		}
	}
	if unsynced > maxSingleSyncs {
		err := syncFileSystem(s.folder)
		if err == nil || !errors.Is(err, errors.ErrUnsupported) {
			return storage.WrapFull(err)
		}
	}
	for _, object := range objects {
		if object.synced {
			continue
		}
		if err := s.syncFile(object.from); err != nil {
			return fmt.Errorf("sync incoming file: %w", storage.WrapFull(err))
		}
	}
	return nil
}

// syncFile syncs a file that was already closed. It opens the file again: a sync covers all bytes
// of the file, also those that were written through another descriptor.
func (s *staging) syncFile(name string) error {
	file, err := s.root.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// close removes the folder with the files in it, and then gives up its lock. Another process that
// cleans the incoming folder skips the folder until then.
func (s *staging) close() error {
	err := s.disk.root.RemoveAll(s.name)
	return errors.Join(err, s.root.Close(), s.folder.Close())
}
