package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"portico/storage"
)

// stagedResult is a child's result in a folder of this machine. It is stored only when it is
// complete and fits into its owner's quota. It exists until attemptTools.close.
type stagedResult struct {
	folder  string
	primary string       // the name of the file that viewers load first
	files   []stagedFile // the primary file is the last
	bytes   int64        // of all files
}

// stagedFile is a file of a result on the disk of the worker, before it is stored.
type stagedFile struct {
	name string // slash-separated, relative to the folder
	size int64
}

// stage lists the files in a folder. It trusts the disk and not the child's report, since a
// hostile capture may control the child.
func stage(folder, primary string) (*stagedResult, error) {
	result := &stagedResult{folder: folder, primary: primary}
	last := stagedFile{size: -1} // not found yet
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		// Children write no links. A hostile capture that controls a child could write one, to
		// make the worker store a file of the server.
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a regular file", path)
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		file := stagedFile{filepath.ToSlash(name), info.Size()}
		result.bytes += file.size
		if file.name == primary {
			last = file
			return nil
		}
		result.files = append(result.files, file)
		return nil
	})
	if err == nil && last.size < 0 {
		err = fmt.Errorf("%q is missing", primary)
	}
	if err != nil {
		return nil, fmt.Errorf("collect the result: %w", err)
	}
	result.files = append(result.files, last)
	return result, nil
}

// size returns the size of a file of the result, and whether there is one of this name.
func (s *stagedResult) size(name string) (int64, bool) {
	for _, file := range s.files {
		if file.name == name {
			return file.size, true
		}
	}
	return 0, false
}

// storeStaged stores a result below a key that ends in a slash. The primary file is
// stored last, so that a reader who finds it finds all files that it names.
func (t *attemptTools) storeStaged(ctx context.Context, root string, result *stagedResult, progress func(done, total workload)) (err error) {
	folder, err := os.OpenRoot(result.folder)
	if err != nil {
		return fmt.Errorf("open the result: %w", err)
	}
	defer folder.Close() //nolint:errcheck // read only
	batch, done := storage.NewBatch(t.store), int64(0)
	defer func() { err = errors.Join(err, batch.Close()) }()
	s := stagedStore{batch, folder, root}
	for i, file := range result.files {
		notify := func(n int64) { progress(workload{i, done + n}, workload{len(result.files), result.bytes}) }
		if err := s.storeFile(ctx, file.name, notify); err != nil {
			return fmt.Errorf("store %s: %w", file.name, err)
		}
		done += file.size
	}
	if err := batch.Commit(); err != nil {
		return fmt.Errorf("store the result: %w", err)
	}
	return nil
}

// stagedStore stores the files of a folder in a batch, below a key that ends in a slash.
type stagedStore struct {
	batch  storage.Batch
	folder *os.Root
	root   string
}

// storeFile stores one file. The os.Root keeps the name inside the folder even if the file was
// replaced by a link after it was listed.
func (s stagedStore) storeFile(ctx context.Context, name string, notify func(done int64)) error {
	file, err := s.folder.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	_, err = s.batch.Put(ctx, s.root+name, &progressReader{r: file, notify: notify})
	return err
}
