package worker

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// made is what a child has written, in a folder of this machine. It is staged
// there: nothing of it is in the store before all of it is known to be whole, and
// to fit into its owner's storage.
type made struct {
	folder  string
	primary string     // the name of the file that is to be loaded
	files   []madeFile // primary is the last
	bytes   int64      // of all files
}

// madeFile is one of them.
type madeFile struct {
	name string // slash-separated, relative to the folder
	size int64
}

// collect lists what lies in a folder. It goes by what is there, not by what the
// child says of it.
func collect(folder, primary string) (*made, error) {
	m := &made{folder: folder, primary: primary}
	last := madeFile{size: -1} // until it is found
	err := filepath.WalkDir(folder, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		// A child writes no links; one that was taken over might.
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no regular file", at)
		}
		name, err := filepath.Rel(folder, at)
		if err != nil {
			return err
		}
		file := madeFile{filepath.ToSlash(name), info.Size()}
		m.bytes += file.size
		if file.name == primary {
			last = file
			return nil
		}
		m.files = append(m.files, file)
		return nil
	})
	if err == nil && last.size < 0 {
		err = fmt.Errorf("%q is not there", primary)
	}
	if err != nil {
		return nil, fmt.Errorf("collect what was made: %w", err)
	}
	m.files = append(m.files, last)
	return m, nil
}

// keep stores what was made below a key that ends in a slash, the primary last:
// when it is there, all that it names is.
func (s *workspace) keep(ctx context.Context, root string, m *made, progress func(filesDone, files int, bytesDone, bytes int64)) error {
	folder, err := os.OpenRoot(m.folder)
	if err != nil {
		return fmt.Errorf("open what was made: %w", err)
	}
	defer folder.Close() //nolint:errcheck // read only
	done := int64(0)
	for i, made := range m.files {
		notify := func(n int64) { progress(i, len(m.files), done+n, m.bytes) }
		if err := s.keepFile(ctx, folder, made.name, root+made.name, notify); err != nil {
			return fmt.Errorf("store %s: %w", made.name, err)
		}
		done += made.size
	}
	return nil
}

// keepFile stores one file. The folder confines the name, whatever became of the
// file since it was listed.
func (s *workspace) keepFile(ctx context.Context, folder *os.Root, name, key string, notify func(done int64)) error {
	file, err := folder.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	_, err = s.store.Put(ctx, key, &progressReader{r: file, notify: notify})
	return err
}
