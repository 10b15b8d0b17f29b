package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"portico/internal/freespace"
	"portico/storage"
)

// workFolder is a temporary folder for one attempt at a job. It stays locked until this
// process and the children that inherited the lock have ended, so that other workers
// can distinguish it from a leftover.
//
// A leftover is a folder that nobody has locked. The lock belongs to the open folder, so it ends
// with the last process that has it open, however that process ends.
type workFolder struct {
	path string
	lock *os.File // the folder itself
}

// newWorkFolder creates and locks a folder below parent, and creates parent. Another
// worker may remove the folder as a leftover before it is locked; then newWorkFolder
// creates another one.
func newWorkFolder(parent, name string) (*workFolder, error) {
	const attempts = 16
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("make the work folder: %w", storage.WrapFull(err))
	}
	for range attempts {
		path, err := os.MkdirTemp(parent, name+"-*")
		if err != nil {
			return nil, fmt.Errorf("create a temporary folder: %w", storage.WrapFull(err))
		}
		lock, err := lockFolder(path)
		if err != nil {
			return nil, err
		}
		if lock != nil {
			return &workFolder{path: path, lock: lock}, nil
		}
	}
	return nil, errors.New("other processes remove new temporary folders before they can be locked")
}

// lockFolder opens and locks a folder. It returns nil if another process has locked or
// removed it.
func lockFolder(path string) (*os.File, error) {
	folder, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // removed before it could be opened
	}
	if err != nil {
		return nil, fmt.Errorf("open a temporary folder: %w", err)
	}
	err = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_, err = os.Lstat(path) // removed between the two calls?
	}
	if err == nil {
		return folder, nil
	}
	_ = folder.Close() // nothing was written
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the folder of another process
	}
	return nil, fmt.Errorf("lock a temporary folder: %w", err)
}

// remove removes the folder with its content, then unlocks it.
func (f *workFolder) remove() error {
	return errors.Join(os.RemoveAll(f.path), f.lock.Close())
}

// removeLeftovers removes the folders of processes that were killed.
func removeLeftovers(parent string) error {
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no job has needed the folder yet
	}
	if err != nil {
		return fmt.Errorf("read the work folder: %w", err)
	}
	var errs []error
	for _, entry := range entries {
		path := filepath.Join(parent, entry.Name())
		lock, err := lockFolder(path)
		if lock == nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, (&workFolder{path: path, lock: lock}).remove())
	}
	return errors.Join(errs...)
}

// leftoverInterval is the interval between two removals of leftovers.
const leftoverInterval = 30 * time.Second

// removeLeftoversUntilDone removes leftovers now and at every interval until ctx ends.
func (w *Worker) removeLeftoversUntilDone(ctx context.Context) {
	ticker := time.NewTicker(leftoverInterval)
	defer ticker.Stop()
	for {
		if err := removeLeftovers(w.WorkFolder); err != nil {
			w.Logger.Warn("remove the folders of dead workers", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// resolveWorkFolder returns the absolute path of the configured folder, since children
// have another current folder.
func resolveWorkFolder(configured string) (string, error) {
	if configured == "" {
		return defaultWorkFolder()
	}
	path, err := filepath.Abs(configured)
	if err != nil {
		return "", fmt.Errorf("find the work folder: %w", err)
	}
	return path, nil
}

// defaultWorkFolder creates a folder in the system's temporary folder. All users may
// write there, so it refuses a folder that another user owns or may write to.
func defaultWorkFolder() (string, error) {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("portico-work-%d", os.Getuid()))
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make the work folder: %w", err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return "", fmt.Errorf("inspect the work folder: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) != os.Getuid() || !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return "", fmt.Errorf("the work folder %s belongs to another user or other users may write to it", path)
	}
	return path, nil
}

// checkFreeSpace returns storage.ErrFull if the folder's disk has no room for the bytes.
// An archive of tens of gigabytes must not fill a disk that other programs need.
func (f *workFolder) checkFreeSpace(bytes int64) error {
	free, err := freespace.Available(f.lock)
	if err != nil {
		return err
	}
	if bytes > free {
		return fmt.Errorf("work on %d bytes with room for %d: %w", bytes, free, storage.ErrFull)
	}
	return nil
}
