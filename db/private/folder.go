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

// ownFolder creates a folder that only the account can enter (mode 0700). It refuses an
// existing folder of another user, because that user could replace its files.
func (a account) ownFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	// Open without following links, so that the checked folder is the changed one.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	defer func() { _ = f.Close() }() // read only
	if err := a.takeFolderOwnership(f); err != nil {
		return err
	}
	return f.Chmod(0o700)
}

// takeFolderOwnership is takeOwnership for folders. It refuses folders of root that are
// not empty, because this package has not created them: a wrong link must not hand over
// /etc.
//
// It reads the content before the owner: another process that has just created the folder
// changes its owner first, and then fills it.
func (a account) takeFolderOwnership(f *os.File) error {
	_, readErr := f.Readdirnames(1)
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if a.dropsRoot && owner(info) == 0 && !errors.Is(readErr, io.EOF) {
		return fmt.Errorf("%s belongs to root and is not empty: it is not handed over to user %s", f.Name(), a.name)
	}
	return a.takeOwnership(f)
}

// openFile opens a file that only the account can read (mode 0600), and creates it if it
// is missing.
func (a account) openFile(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := a.takeOwnership(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// takeOwnership changes the owner of a file that root has just created to the account. It
// returns an error for files of other users.
func (a account) takeOwnership(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	switch uid := owner(info); {
	case uid == a.uid:
		return nil
	case uid == 0 && a.dropsRoot:
		return f.Chown(a.uid, a.gid)
	default:
		return fmt.Errorf("%s belongs to user %s, not to %s: start as that user or as root",
			f.Name(), userName(uid), a.name)
	}
}

// canOwnBelow reports whether root can give folders in this one to the account. Shares of NFS refuse
// that, and shares of SMB ignore it. If the disk has no room for a try, it returns true.
func (a account) canOwnBelow(folder string) bool {
	try, err := os.MkdirTemp(folder, ".owner-*")
	if err != nil {
		return true
	}
	defer func() { _ = os.Remove(try) }() // it is empty
	if err := os.Chown(try, a.uid, a.gid); err != nil {
		return false
	}
	uid, err := ownerOf(try)
	return err == nil && uid == a.uid
}

// firstClosedFolder returns the first folder on the way to path, including path, that the
// account cannot enter, or "" if it can enter all. It checks mode bits only and ignores
// access control lists.
func (a account) firstClosedFolder(path string) (string, error) {
	for _, folder := range append(ancestors(path), path) {
		info, err := os.Stat(folder)
		if err != nil {
			return "", err
		}
		if !a.canEnter(info) {
			return folder, nil
		}
	}
	return "", nil
}

// canEnter reports whether the account can enter a folder. Like the kernel, it checks only
// the first matching class: an owner without the permission cannot enter, even if others
// can.
func (a account) canEnter(info os.FileInfo) bool {
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

// ancestors returns the folders above an absolute path, starting with the root.
func ancestors(path string) []string {
	var list []string
	for path != filepath.Dir(path) {
		path = filepath.Dir(path)
		list = append(list, path)
	}
	slices.Reverse(list)
	return list
}
