package freespace

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

const (
	// BallastName is the name of the file of a Ballast in its folder.
	BallastName = "ballast"
	// ballastSize is enough for the log of a database until files were deleted.
	ballastSize = 64 << 20
	// ballastInterval is how often a Ballast looks whether the disk is full, and every ballastTicks
	// times whether there is room.
	ballastInterval = time.Second
	ballastTicks    = 10
)

// Ballast is a file that takes room on a disk until the disk is full. Then it is deleted, and there
// is room to delete other things: a database cannot even delete without a free byte. Processes may
// share a folder.
type Ballast struct {
	// Folder is on the disk.
	Folder string
	Logger *slog.Logger
	size   int64 // for tests; 0 means ballastSize
}

// Keep deletes the file when the disk is full, and makes it when there is room, until ctx ends.
func (b Ballast) Keep(ctx context.Context) {
	ticker := time.NewTicker(ballastInterval)
	defer ticker.Stop()
	for ticks := 1; ; ticks++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := b.Free(); err != nil {
			b.Logger.Warn("free room on the disk", "error", err)
		}
		if ticks%ballastTicks != 0 {
			continue
		}
		if err := b.Fill(); err != nil {
			b.Logger.Warn("keep room on the disk", "error", err)
		}
	}
}

// Free deletes the file if less than half of its size is free beside it.
func (b Ballast) Free() error {
	available, err := b.available()
	if err != nil || available+Reserve >= b.bytes()/2 {
		return err
	}
	err = os.Remove(b.name())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	b.Logger.Error("the disk is full: delete files", "folder", b.Folder, "freed", b.bytes())
	return err
}

// Fill makes the file unless it exists, if there is room for twice its size beside the reserve. Its
// bytes are random, because some file systems store no zeros.
func (b Ballast) Fill() error {
	available, err := b.available()
	if err != nil || available < 2*b.bytes() {
		return err
	}
	if _, err := os.Stat(b.name()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.CreateTemp(b.Folder, BallastName+"-*")
	if err != nil {
		return err
	}
	_, err = io.CopyN(file, rand.NewChaCha8([32]byte{}), b.bytes())
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), b.name())
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

func (b Ballast) name() string { return filepath.Join(b.Folder, BallastName) }

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
