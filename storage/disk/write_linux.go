package disk

import (
	"errors"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// mover moves staged files to their names. It keeps the folder of the last file open, because
// os.Root would open every folder of both paths for each file, which takes longer than the move.
//
// It must not be used concurrently.
type mover struct {
	disk   *Store
	from   *staging
	folder *os.File // nil for none
	name   string   // of folder
}

// move moves a staged file. It returns fs.ErrNotExist if the folder of its name is missing.
func (m *mover) move(from, to string) error {
	if m.folder == nil || m.name != path.Dir(to) {
		m.close()
		folder, err := m.disk.root.Open(path.Dir(to))
		if err != nil {
			return err
		}
		m.folder, m.name = folder, path.Dir(to)
	}
	err := unix.Renameat(int(m.from.folder.Fd()), from, int(m.folder.Fd()), path.Base(to))
	if errors.Is(err, fs.ErrNotExist) {
		m.close() // the folder was deleted
	}
	return err
}

// close closes the folder. The mover can be used again.
func (m *mover) close() {
	if m.folder != nil {
		_ = m.folder.Close() // read only
	}
	m.folder = nil
}

// syncFileSystem returns when all files of the file system that holds the folder are on the
// disk.
func syncFileSystem(folder *os.File) error { return unix.Syncfs(int(folder.Fd())) }

// startWriteback lets the kernel start to write the changed bytes of a file to the disk. It does
// not wait for them. Only Sync promises that they are stored, and reports its own errors, so an
// error here only makes Sync slower.
func startWriteback(file *os.File) {
	_ = unix.SyncFileRange(int(file.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
}
