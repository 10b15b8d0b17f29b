//go:build !linux

package disk

import (
	"errors"
	"os"
	"path"
)

// mover moves staged files to their names.
type mover struct {
	disk *Store
	from *staging
}

// move moves a staged file. It returns fs.ErrNotExist if the folder of its name is missing.
func (m *mover) move(from, to string) error {
	return m.disk.root.Rename(path.Join(m.from.name, from), to)
}

// close does nothing, because such a mover has opened nothing.
func (*mover) close() {}

// syncFileSystem is not supported: only Linux syncs one file system and reports errors.
func syncFileSystem(*os.File) error { return errors.ErrUnsupported }

// startWriteback does nothing: only Linux starts to write before a sync.
func startWriteback(*os.File) {}
