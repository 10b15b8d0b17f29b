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

	"portico/storage"
)

// workFolder is a folder of this machine for one try at a job: what programs
// read and write by path. It is locked for as long as this process, or a child
// that it started, lives, so that others can distinguish it from a leftover.
type workFolder struct {
	path string
	lock *os.File // the folder itself
}

// newWorkFolder makes and locks a folder below parent, which is made too.
// Between the two another process may have taken it for a leftover; then a new
// one is made.
func newWorkFolder(parent, name string) (*workFolder, error) {
	const tries = 16
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("make the work folder: %w", err)
	}
	for range tries {
		path, err := os.MkdirTemp(parent, name+"-*")
		if err != nil {
			return nil, fmt.Errorf("make a folder to work in: %w", err)
		}
		lock, err := lockFolder(path)
		if err != nil {
			return nil, err
		}
		if lock != nil {
			return &workFolder{path: path, lock: lock}, nil
		}
	}
	return nil, errors.New("folders to work in vanish as they are made")
}

// lockFolder opens and locks a folder; nil where somebody else has it, or had it
// and removed it.
func lockFolder(path string) (*os.File, error) {
	folder, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // removed before it could be opened
	}
	if err != nil {
		return nil, fmt.Errorf("open a folder to work in: %w", err)
	}
	err = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_, err = os.Lstat(path)
	}
	if err == nil {
		return folder, nil
	}
	_ = folder.Close() // nothing was written
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil // somebody else's
	}
	return nil, fmt.Errorf("lock a folder to work in: %w", err)
}

// remove removes the folder with its content, then unlocks it.
func (f *workFolder) remove() error {
	return errors.Join(os.RemoveAll(f.path), f.lock.Close())
}

// sweep removes the folders of processes that were killed.
func sweep(parent string) error {
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nobody has worked here yet
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

// sweepEvery is how often leftovers are looked for.
const sweepEvery = 30 * time.Second

// keepSwept removes leftovers, at once and then now and then, until ctx ends.
func (w *Worker) keepSwept(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		if err := sweep(w.WorkFolder); err != nil {
			w.Logger.Warn("remove the folders of dead workers", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// workFolderOf returns the absolute path of the folder that is configured: a child
// is somewhere else.
func workFolderOf(configured string) (string, error) {
	if configured == "" {
		return defaultWorkFolder()
	}
	path, err := filepath.Abs(configured)
	if err != nil {
		return "", fmt.Errorf("find the work folder: %w", err)
	}
	return path, nil
}

// defaultWorkFolder makes a folder in the system's for temporary files. Everybody
// may write there, so one that is not this user's alone is refused.
func defaultWorkFolder() (string, error) {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("portico-work-%d", os.Getuid()))
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make the work folder: %w", err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return "", fmt.Errorf("look at the work folder: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) != os.Getuid() || !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return "", fmt.Errorf("the work folder %s is not this user's alone", path)
	}
	return path, nil
}

// reserve is what stays free on the disk of the work folder, which may well be
// the database's too: a quarter of a gigabyte.
const reserve = 256 << 20

// checkRoom refuses bytes that the folder's disk has no room for: what unpacks to
// tens of gigabytes must not fill the disk that others need.
func (f *workFolder) checkRoom(bytes int64) error {
	var disk syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.lock.Fd()), &disk); err != nil {
		return fmt.Errorf("ask for the room on the disk: %w", err)
	}
	// What an unprivileged user may take.
	if free := int64(disk.Bavail) * int64(disk.Bsize); bytes > free-reserve { //nolint:unconvert // another type elsewhere
		return fmt.Errorf("work on %d bytes with %d free: %w", bytes, free, storage.ErrFull)
	}
	return nil
}
