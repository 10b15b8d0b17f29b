package worker

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"portico/model"
	"portico/splat/folder"
	"portico/storage"
)

// copyProgress receives the progress of a copy, in bytes.
type copyProgress func(done, total int64)

// input is a file on this machine that a child reads.
type input struct {
	path string
	// wholeFolder reports whether the child also reads the other files in the file's folder
	// and in the folders below it.
	wholeFolder bool
	// suggestedView is the suggested view of a capture whose format has no place for it.
	suggestedView *model.SuggestedView
	// up is the direction that the capture declares as up, in the same case.
	up *[3]float64
	// viewpoint is where the pictures of a stored capture are taken from; nil shows the
	// whole subject.
	viewpoint *model.PosterView
}

// size returns how many bytes the child has to read.
func (in input) size() (int64, error) {
	info, err := os.Stat(in.path)
	if err != nil || !in.wholeFolder {
		return sizeFrom(info, err)
	}
	total := int64(0)
	err = filepath.WalkDir(filepath.Dir(in.path), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		size, err := sizeFrom(entry.Info())
		total += size
		return err
	})
	return total, err
}

// sizeFrom returns the size in the result of a function that describes a file.
func sizeFrom(info fs.FileInfo, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// openLocally returns an object as a file on this machine. The caller must not write to the file:
// on a local store it is the stored object itself. From a remote store it copies the object into
// the temporary folder, and with wholeFolder also everything in the object's folder and below.
func (t *attemptTools) openLocally(ctx context.Context, key string, wholeFolder bool, progress copyProgress) (input, error) {
	if store, ok := t.store.(storage.Local); ok {
		path, err := store.LocalPath(ctx, key)
		return input{path: path, wholeFolder: wholeFolder}, err
	}
	path, err := t.copyLocally(ctx, key, wholeFolder, progress)
	return input{path: path, wholeFolder: wholeFolder}, err
}

// copyLocally copies an object, or with wholeFolder its folder, into the temporary folder. It
// checks the free space first, and close removes the copy.
func (t *attemptTools) copyLocally(ctx context.Context, key string, wholeFolder bool, progress copyProgress) (string, error) {
	objects, bytes, err := t.listObjects(ctx, key, wholeFolder)
	if err != nil {
		return "", err
	}
	into, err := t.subfolder("in")
	if err != nil {
		return "", err
	}
	// No quota limits these copies, so the free space on the disk is checked instead.
	if err := t.folder.checkFreeSpace(bytes); err != nil {
		return "", err
	}
	to, err := openLocalFolder(into)
	if err != nil {
		return "", err
	}
	defer to.Close() //nolint:errcheck // a folder has nothing to write
	done := int64(0)
	for _, object := range objects {
		name := strings.TrimPrefix(object.Key, path.Dir(key)+"/")
		before := done
		if err := t.copyObject(ctx, to, name, object, func(n int64) { progress(before+n, bytes) }); err != nil {
			return "", err
		}
		done += object.Size
	}
	return filepath.Join(into, path.Base(key)), nil
}

// listObjects returns the objects that openLocally copies, and their total size.
func (t *attemptTools) listObjects(ctx context.Context, key string, wholeFolder bool) (objects []storage.Object, bytes int64, err error) {
	if !wholeFolder { // the folder of a single file also contains the user's other uploads
		object, err := t.store.Stat(ctx, key)
		return []storage.Object{object}, object.Size, err
	}
	for object, err := range t.store.List(ctx, path.Dir(key)) {
		if err != nil {
			return nil, 0, err
		}
		objects, bytes = append(objects, object), bytes+object.Size
	}
	return objects, bytes, nil
}

// copyObject copies one object of the store to name. notify gets the number of bytes so far.
func (t *attemptTools) copyObject(ctx context.Context, to folder.Writer, name string, object storage.Object, notify func(done int64)) error {
	r, err := t.store.Open(ctx, object.Key)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", object.Key, err)
	}
	defer r.Close() //nolint:errcheck // read only
	if err := to.Put(ctx, name, object.Size, &progressReader{r: r, notify: notify}); err != nil {
		return fmt.Errorf("fetch %s: %w", object.Key, err)
	}
	return nil
}

// localFolder is a subfolder of the temporary folder. Put returns a storage.ErrFull if the disk is
// full.
type localFolder struct{ *folder.Local }

// openLocalFolder opens a subfolder of the temporary folder. The caller closes it.
func openLocalFolder(path string) (localFolder, error) {
	local, err := folder.OpenLocal(path)
	if err != nil {
		return localFolder{}, fmt.Errorf("open a temporary folder: %w", err)
	}
	return localFolder{local}, nil
}

// Put implements folder.Writer.
func (f localFolder) Put(ctx context.Context, name string, size int64, r io.Reader) error {
	return storage.WrapFull(f.Local.Put(ctx, name, size, r))
}
