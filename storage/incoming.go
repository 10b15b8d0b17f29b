package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

const (
	incomingFolder = "incoming"
	// copyBuffer is all the memory that a transfer takes, whatever its size.
	copyBuffer = 256 << 10
	// staleAfter is the age of a leftover where locks do not exist: no upload takes this long.
	staleAfter = 24 * time.Hour
	// tries bounds the retries of steps that race with another process.
	tries = 16
)

// incoming is a file on its way in. It lies outside the objects until it is
// whole, and is locked as long as somebody writes it, so that another process
// can tell it from what a crash left behind.
type incoming struct {
	disk *Disk
	file *os.File
	name string
}

// newIncoming creates and locks a file. Between the two another process may
// have taken it for a leftover; then a new one is made.
func (d *Disk) newIncoming() (*incoming, error) {
	for range tries {
		in := &incoming{disk: d, name: incomingFolder + "/" + rand.Text()}
		file, err := d.root.OpenFile(in.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o640)
		if err != nil {
			return nil, fmt.Errorf("create incoming file: %w", full(err))
		}
		in.file = file
		owned, err := in.own()
		if owned {
			return in, nil
		}
		in.discard()
		if err != nil {
			return nil, err
		}
	}
	return nil, errors.New("incoming files vanish as they are made")
}

// own locks the file and reports whether it is still there afterwards.
func (in *incoming) own() (bool, error) {
	locked, err := tryLock(in.file)
	if errors.Is(err, errors.ErrUnsupported) {
		return true, nil
	}
	if err != nil || !locked {
		return false, err
	}
	_, err = in.disk.root.Lstat(in.name)
	return err == nil, nil
}

// fill appends all of r, through one buffer.
func (in *incoming) fill(ctx context.Context, r io.Reader) (int64, error) {
	buffer := in.disk.buffers.Get().(*[]byte)
	defer in.disk.buffers.Put(buffer)
	// The struct hides the file's ReadFrom, which would bring its own buffer.
	size, err := io.CopyBuffer(struct{ io.Writer }{in.file}, &source{ctx, r}, *buffer)
	if err != nil {
		return size, fmt.Errorf("write incoming file: %w", full(err))
	}
	return size, nil
}

// seal makes the bytes survive a loss of power. The time is set here, with
// all its digits, because the kernel's may be the same for two files written
// within some milliseconds, and their entity tags with it.
func (in *incoming) seal() error {
	now := time.Now()
	if err := in.disk.root.Chtimes(in.name, now, now); err != nil {
		return fmt.Errorf("date incoming file: %w", err)
	}
	if err := in.file.Sync(); err != nil {
		return fmt.Errorf("sync incoming file: %w", full(err))
	}
	return nil
}

// discard closes the file and removes it from the incoming folder, wherever
// else it may have been linked to by then.
func (in *incoming) discard() {
	// The bytes are synced or unwanted by now, and a name that cannot be
	// removed is cleaned up at the next start.
	_ = in.disk.root.Remove(in.name)
	_ = in.file.Close()
}

// cleanIncoming removes what crashed processes left. Files that are being
// written, by this process or another, stay.
func (d *Disk) cleanIncoming() error {
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

// cleanLeftover removes the file if nobody writes it. The lock is held over
// the removal: a writer that comes between finds it taken (see own).
func (d *Disk) cleanLeftover(name string) error {
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
	return d.root.Remove(name)
}

func (d *Disk) isStale(file *os.File) (bool, error) {
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	return d.now().Sub(info.ModTime()) > staleAfter, nil
}
