package freespace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

const (
	// ballastFiles is the number of the files of a Ballast, and ballastSize the size of each: enough
	// for the log of a database until files were deleted.
	ballastFiles = 4
	ballastSize  = 16 << 20
	// ballastInterval is how often a Ballast looks whether the disk is full, ballastTicks after how many
	// intervals it looks whether there is room, and ballastPause for how many it waits after it has
	// deleted a file: a program that goes on to fill the disk gets one, and an error, before the next.
	ballastInterval = time.Second
	ballastTicks    = 10
	ballastPause    = 5
)

// Ballast is some files that take room on a disk until the disk is full. Then they are deleted, one
// after the other, and there is room to delete other things: a database cannot even delete without a
// free byte. Processes may share a folder.
type Ballast struct {
	// Folder is on the disk.
	Folder string
	Logger *slog.Logger
	size   int64 // for tests; 0 means ballastSize
}

// Keep deletes a file when the disk is full, and makes it when there is room, until ctx ends.
func (b Ballast) Keep(ctx context.Context) {
	ticker := time.NewTicker(ballastInterval)
	defer ticker.Stop()
	next := 1 // when the next file may be deleted
	for tick := 1; ; tick++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if tick >= next {
			freed, err := b.Free()
			if freed {
				next = tick + ballastPause
			}
			if err != nil {
				b.Logger.Warn("free room on the disk", "error", err)
			}
		}
		if tick%ballastTicks != 0 {
			continue
		}
		if err := b.Fill(); err != nil {
			b.Logger.Warn("keep room on the disk", "error", err)
		}
	}
}

// Free deletes a file if less than half of its size is free beside it, and reports whether it did.
func (b Ballast) Free() (bool, error) {
	available, err := b.available()
	if err != nil || available+Reserve >= b.bytes()/2 {
		return false, err
	}
	for i := range ballastFiles {
		err := os.Remove(b.name(i))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		b.Logger.Error("the disk is full: delete files", "folder", b.Folder, "freed", b.bytes())
		return err == nil, err
	}
	return false, nil
}

// Fill makes a file that is missing, if there is room for twice its size beside the reserve. Its
// bytes are random, because some file systems store no zeros.
func (b Ballast) Fill() error {
	available, err := b.available()
	if err != nil || available < 2*b.bytes() {
		return err
	}
	for i := range ballastFiles {
		if _, err := os.Stat(b.name(i)); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		file, err := os.CreateTemp(b.Folder, "ballast-*")
		if err != nil {
			return err
		}
		_, err = io.CopyN(file, rand.NewChaCha8([32]byte{}), b.bytes())
		if err = errors.Join(err, file.Close()); err == nil {
			err = os.Rename(file.Name(), b.name(i))
		}
		if err != nil {
			return errors.Join(err, os.Remove(file.Name()))
		}
		return nil
	}
	return nil
}

func (b Ballast) name(i int) string { return filepath.Join(b.Folder, fmt.Sprintf("ballast%d", i+1)) }

func (b Ballast) bytes() int64 { return cmp.Or(b.size, ballastSize) }

// available returns the free space of the disk without Reserve.
func (b Ballast) available() (int64, error) {
	folder, err := os.Open(b.Folder)
	if err != nil {
		return 0, err
	}
	available, err := Available(folder)
	return available, errors.Join(err, folder.Close())
}
