package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// maxAge is the age at which a snapshot is made again, so that a new version of PostgreSQL is used
// soon after it was installed.
const maxAge = time.Hour

// snapshot is a folder with a cluster that was stopped right after its creation: the tests of a
// package start a copy of it. A copy takes a tenth of the CPU of initdb, which each package would
// run otherwise.
type snapshot struct{ folder string }

// startNew starts a new cluster in the folder of the server. In memory, the first package makes the
// snapshot, and the others copy it. Elsewhere each package runs initdb: the user of Postgres may
// not be able to enter the folder, and the cluster is in another one.
func (s *server) startNew(ctx context.Context) error {
	saved, err := findSnapshot()
	if err != nil || !s.inMemory() {
		return s.start(ctx)
	}
	return s.startFrom(ctx, saved)
}

// startFrom starts a copy of the snapshot, or makes the snapshot.
//
// A snapshot only saves time. Without a folder for it, because the checkout is read-only or belongs
// to another user, the package runs initdb. So it does if the copy does not start, because its
// version of PostgreSQL has been removed, and it replaces the snapshot then.
func (s *server) startFrom(ctx context.Context, saved snapshot) error {
	unlock, err := saved.lock()
	if err != nil {
		return s.start(ctx)
	}
	defer unlock()
	cluster := filepath.Join(s.folder, "postgres")
	restored, err := saved.restore(cluster)
	if restored && err == nil && s.start(ctx) == nil {
		return nil
	}
	if err := os.RemoveAll(cluster); err != nil {
		return fmt.Errorf("remove the copy of a snapshot: %w", err)
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	if err := s.stop(); err != nil {
		return err
	}
	_ = saved.save(cluster) // the next package tries again
	return s.start(ctx)
}

// findSnapshot returns the snapshot for this user and the present code of package private, in the
// cache folder of the module.
func findSnapshot() (snapshot, error) {
	module, err := moduleFolder()
	if err != nil {
		return snapshot{}, err
	}
	sources, err := filepath.Glob(filepath.Join(module, "db", "private", "*.go"))
	if err != nil {
		return snapshot{}, err
	}
	sum := sha256.New()
	_, _ = fmt.Fprintln(sum, os.Geteuid(), os.Getenv("PORTICO_PG_BIN")) // a hash never fails
	for _, name := range sources {
		source, err := os.ReadFile(name)
		if err != nil {
			return snapshot{}, err
		}
		_, _ = sum.Write(source) // a hash never fails
	}
	return snapshot{filepath.Join(module, ".cache", "postgres", hex.EncodeToString(sum.Sum(nil)[:8]))}, nil
}

// moduleFolder returns the folder of the module, which is above the package whose tests run.
func moduleFolder() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", errors.New("the working directory is not in a module")
		}
		folder = filepath.Dir(folder)
	}
}

// lock waits until no other process makes or copies a snapshot, and prevents that others do so until
// unlock is called.
func (s snapshot) lock() (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(s.folder), 0o755); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(filepath.Dir(s.folder), "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	unlock = func() { _ = lock.Close() } // nothing was written
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		unlock()
		return nil, fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	return unlock, nil
}

// restore copies the snapshot to a cluster, and reports whether there is a snapshot that is young
// enough.
func (s snapshot) restore(cluster string) (bool, error) {
	info, err := os.Stat(s.folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && time.Since(info.ModTime()) > maxAge {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, copyTree(s.folder, cluster)
}

// save replaces the snapshot by a copy of the cluster, which must have stopped. It removes the
// snapshots of earlier code. It renames a complete copy, because the process may be killed.
func (s snapshot) save(cluster string) error {
	parent := filepath.Dir(s.folder)
	old, err := filepath.Glob(filepath.Join(parent, "*", "password"))
	if err != nil {
		return err
	}
	temporary := filepath.Join(parent, "new")
	for _, password := range append(old, filepath.Join(temporary, "password")) {
		if err := os.RemoveAll(filepath.Dir(password)); err != nil {
			return err
		}
	}
	if err := os.Mkdir(temporary, 0o700); err != nil {
		return err
	}
	if err := copyOwner(cluster, temporary); err != nil {
		return err
	}
	for _, name := range []string{"data", "password"} {
		if err := copyTree(filepath.Join(cluster, name), filepath.Join(temporary, name)); err != nil {
			return err
		}
	}
	return os.Rename(temporary, s.folder)
}
