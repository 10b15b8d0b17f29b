package private

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// ownFolder makes the folder for the account alone (mode 0700), or checks that
// it is so: a folder that another user made beforehand is never trusted.
func (a account) ownFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	// Opened without following links, so that what is checked is what changes.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	if err := a.takeFolder(f); err != nil {
		return err
	}
	return f.Chmod(0o700)
}

// takeFolder is take for folders. One of root's that has something in it was
// not made here: a link in the wrong direction must not give away /etc.
func (a account) takeFolder(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if a.drop && owner(info) == 0 {
		if _, err := f.Readdirnames(1); !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s belongs to root and is not empty: it is not handed to user %s", f.Name(), a.name)
		}
	}
	return a.take(f)
}

// openFile opens a file that belongs to the account alone (mode 0600), making
// it when missing.
func (a account) openFile(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := a.take(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// take hands a file that root just made to the account, and refuses one that
// belongs to anybody else.
func (a account) take(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	switch uid := owner(info); {
	case uid == a.uid:
		return nil
	case uid == 0 && a.drop:
		return f.Chown(a.uid, a.gid)
	default:
		return fmt.Errorf("%s belongs to user %s, not to %s: start as that user or as root",
			f.Name(), userName(uid), a.name)
	}
}

// closedFolder returns the first folder on the way to path, or path itself,
// that the account may not enter, and "" when all are open. It reads mode bits
// only: what an access control list opens besides counts as closed.
func (a account) closedFolder(path string) (string, error) {
	for _, folder := range append(ancestors(path), path) {
		info, err := os.Stat(folder)
		if err != nil {
			return "", err
		}
		if !a.maySearch(info) {
			return folder, nil
		}
	}
	return "", nil
}

// maySearch applies the first class that fits, as the kernel does: an owner
// without the right is shut out even where all others may enter.
func (a account) maySearch(info os.FileInfo) bool {
	mode := info.Mode().Perm()
	switch {
	case owner(info) == a.uid:
		return mode&0o100 != 0
	case group(info) == a.gid || slices.Contains(a.groups, group(info)):
		return mode&0o010 != 0
	default:
		return mode&0o001 != 0
	}
}

// ancestors lists the folders above an absolute path, the root first.
func ancestors(path string) []string {
	var list []string
	for path != filepath.Dir(path) {
		path = filepath.Dir(path)
		list = append(list, path)
	}
	slices.Reverse(list)
	return list
}
