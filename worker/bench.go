package worker

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"syscall"

	"portico/storage"
	"portico/worker/child"
)

// bench is what one try at a job works with: a folder of this machine, and the
// programs that read and write captures there.
type bench struct {
	*Worker
	name   string // begins the folder's name
	log    *slog.Logger
	folder *workFolder // nil until it is needed
	used   child.Usage
}

// open makes the folder, once.
func (b *bench) open() (*workFolder, error) {
	if b.folder != nil {
		return b.folder, nil
	}
	var err error
	b.folder, err = newWorkFolder(b.WorkFolder, b.name)
	return b.folder, err
}

// close removes the folder, whatever came of the work.
func (b *bench) close() {
	if b.folder == nil {
		return
	}
	if err := b.folder.remove(); err != nil {
		// The next sweep finds it unlocked.
		b.log.Warn("remove the folder of a job", "error", err)
	}
}

// subfolder makes a folder in the bench's, whose name begins as asked for.
func (b *bench) subfolder(name string) (string, error) {
	folder, err := b.open()
	if err != nil {
		return "", err
	}
	at, err := os.MkdirTemp(folder.path, name+"-*")
	if err != nil {
		return "", fmt.Errorf("make a folder to work in: %w", full(err))
	}
	return at, nil
}

// full adds storage.ErrFull to the system's errors for a full disk: the work
// folder's counts as the server's storage.
func full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", storage.ErrFull, err)
	}
	return err
}
