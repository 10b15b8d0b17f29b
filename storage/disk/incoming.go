package disk

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"portico/internal/freespace"
	"portico/storage"
)

const (
	incomingFolder = "incoming"
	// copyBuffer is the size of the only buffer of a transfer. It does not depend on the size
	// of the file.
	copyBuffer = 256 << 10
	// writebackStep is the number of bytes after which the disk starts to write them. It is large
	// enough for a disk to write at full speed.
	writebackStep = 8 << 20
	// staleAfter is the age at which a file counts as a leftover on systems without locks.
	// No upload takes this long.
	staleAfter = 24 * time.Hour
	// maxTries limits the retries of steps that race with another process.
	maxTries = 16
)

// incoming is a file that is being written. It stays outside the objects until it is
// complete. It is locked while it is being written, so that other processes can distinguish
// it from a leftover of a crash.
//
// Its life: newIncoming creates and locks it, fill writes the bytes, seal syncs them, moveToKey
// gives it the name of an object, and discard removes the name in the incoming folder. A crash
// before moveToKey leaves a file without a lock, which the next Open removes.
type incoming struct {
	disk *Store
	file *os.File
	// name is relative to the root of disk.
	name string
}

// newIncoming creates and locks a file. Before it is locked, another process may remove it
// as a leftover; then newIncoming creates another one.
func (d *Store) newIncoming() (*incoming, error) {
	for range maxTries {
		in := &incoming{disk: d, name: incomingFolder + "/" + rand.Text()}
		file, err := d.root.OpenFile(in.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o640)
		if err != nil {
			return nil, fmt.Errorf("create incoming file: %w", storage.WrapFull(err))
		}
		in.file = file
		owned, err := in.lockNew()
		if owned {
			return in, nil
		}
		in.discard()
		if err != nil {
			return nil, err
		}
	}
	return nil, errors.New("other processes remove new incoming files before they can be locked")
}

// lockNew locks the file and reports whether the file still exists afterwards. An error of the disk
// does not mean that another process has removed the file, so it is returned.
func (in *incoming) lockNew() (bool, error) {
	locked, err := tryLock(in.file)
	if errors.Is(err, errors.ErrUnsupported) {
		return true, nil
	}
	if err != nil || !locked {
		return false, err
	}
	_, err = in.disk.root.Lstat(in.name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// fill appends the bytes of r and returns their number. Bytes that are in memory already are
// written as they are, all others through one buffer.
func (in *incoming) fill(ctx context.Context, r io.Reader) (int64, error) {
	if content, ok := r.(*bytes.Reader); ok {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return wrapWrite(content.WriteTo(newIncomingWriter(in.file)))
	}
	buffer := in.disk.buffers.Get().(*[copyBuffer]byte)
	defer in.disk.buffers.Put(buffer)
	return wrapWrite(io.CopyBuffer(newIncomingWriter(in.file), storage.NewSource(ctx, r), buffer[:]))
}

// wrapWrite adds to an error that the write failed, and makes an error of a full disk an ErrFull.
func wrapWrite(size int64, err error) (int64, error) {
	if err != nil {
		return size, fmt.Errorf("write incoming file: %w", storage.WrapFull(err))
	}
	return size, nil
}

// incomingWriter writes to a file that will be synced. The disk writes while further bytes arrive:
// without that, all of them would be left for the sync, during which nothing arrives. It leaves
// freespace.Reserve free on the disk: the database is often on the same one, and without it nobody
// could even delete a file.
type incomingWriter struct {
	freespace.Writer
	left int // bytes for which the disk has not started
}

func newIncomingWriter(file *os.File) *incomingWriter {
	return &incomingWriter{Writer: freespace.Writer{File: file}}
}

// Write implements io.Writer.
func (w *incomingWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if w.left += n; w.left >= writebackStep {
		startWriteback(w.File)
		w.left = 0
	}
	return n, err
}

// seal syncs the file. It sets the time explicitly, in nanoseconds: the kernel's time may
// be equal for two files that are written within some milliseconds, and their ETags would
// be equal too.
func (in *incoming) seal() error {
	now := time.Now()
	if err := in.disk.root.Chtimes(in.name, now, now); err != nil {
		return fmt.Errorf("date incoming file: %w", err)
	}
	if err := in.file.Sync(); err != nil {
		return fmt.Errorf("sync incoming file: %w", storage.WrapFull(err))
	}
	return nil
}

// discard closes the file, or the empty folder of a staging, and removes it from the incoming
// folder. Another link to the file stays.
func (in *incoming) discard() {
	// The bytes are synced or unwanted by now. The next start removes a name that cannot be
	// removed here.
	_ = in.disk.root.Remove(in.name)
	_ = in.file.Close()
}

// cleanIncoming removes the leftovers of crashed processes. It keeps the files that this or
// another process is writing.
func (d *Store) cleanIncoming() error {
	entries, err := fs.ReadDir(d.root.FS(), incomingFolder)
	if err != nil {
		return fmt.Errorf("read incoming folder: %w", err)
	}
	for _, entry := range entries {
		name := incomingFolder + "/" + entry.Name()
		err := d.cleanLeftover(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("clean incoming folder: %w", err)
		}
	}
	return nil
}

// cleanLeftover removes the file unless a process is writing it. It holds the lock during the
// removal: a writer that has just created the file fails to lock it (see lockNew). An error
// fs.ErrNotExist means that another process has removed it.
func (d *Store) cleanLeftover(name string) error {
	file, err := d.root.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	leftover, err := tryLock(file)
	if errors.Is(err, errors.ErrUnsupported) {
		leftover, err = d.isStale(file)
	}
	if err != nil || !leftover {
		return err
	}
	return d.root.RemoveAll(name) // a batch has a folder
}

// isStale reports whether a file is older than any upload can be.
func (d *Store) isStale(file *os.File) (bool, error) {
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	return d.Now().Sub(info.ModTime()) > staleAfter, nil
}
