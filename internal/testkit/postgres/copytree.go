package postgres

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// copyTree copies a file, or a folder with everything in it. The copies have the same owners, who alone
// can read them.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := to + path[len(from):]
		if entry.IsDir() {
			err = os.Mkdir(target, 0o700) //nolint:gosec // no other user can change the folders
		} else {
			err = copyFile(path, target)
		}
		return errors.Join(err, copyOwner(path, target))
	})
}

// copyFile copies a file. The zeros at its end, of which most of the log of a new cluster consists,
// are not written.
func copyFile(from, to string) (err error) {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if _, err := target.Write(bytes.TrimRight(content, "\x00")); err != nil {
		return err
	}
	return target.Truncate(int64(len(content)))
}

// copyOwner gives a file the owner of another one. Only root can, and needs to: its clusters belong
// to the user of Postgres.
func copyOwner(from, to string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t)
	return os.Chown(to, int(owner.Uid), int(owner.Gid))
}
