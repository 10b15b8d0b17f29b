package backup

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"portico/internal/durable"
)

// folder is the folder of a backup while it is written. Only its owner may read what is in it: the
// folders have mode 0700, and the files 0600.
type folder struct {
	root *os.Root
	lock *os.File
	// copied is the list of objects that this backup and those before it that did not end have
	// copied. Each is written after its object is safe.
	mu     sync.Mutex
	copied *os.File
}

// openFolder opens or creates the folder, which must be empty or have a backup, and locks it.
func openFolder(path string) (_ *folder, err error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	f := &folder{root: root}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	// The lock is also the sign that everything in the folder is of backups.
	_, err = root.Stat(lockName)
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := fs.ReadDir(root.FS(), ".")
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.Name() != "lost+found" { // the root of a disk
				return nil, fmt.Errorf("%s has other files, such as %s. Name a new folder, or one with an earlier backup", path, entry.Name())
			}
		}
	} else if err != nil {
		return nil, err
	}
	if f.lock, err = root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	return f, f.take(syscall.LOCK_EX)
}

// openRead opens the folder of a backup for a restore, which writes nothing: the folder may be on a
// disk that is mounted for reading only.
func openRead(path string) (*folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	f := &folder{root: root}
	if f.lock, err = root.Open(lockName); err == nil {
		err = f.take(syscall.LOCK_SH)
	} else if errors.Is(err, fs.ErrNotExist) { // a copy need not have it
		err = nil
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// take locks the folder. Some network file systems have no locks, so only a lock of another process
// is an error.
func (f *folder) take(how int) error {
	if err := syscall.Flock(int(f.lock.Fd()), how|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("another backup or restore uses %s", f.root.Name())
	}
	return nil
}

func (f *folder) close() {
	if f.copied != nil {
		_ = f.copied.Close() // the list is a hint
	}
	if f.lock != nil {
		_ = f.lock.Close()
	}
	_ = f.root.Close()
}

// newTables creates a folder for tables and returns its name.
func (f *folder) newTables(now time.Time) (string, error) {
	name := tablesPrefix + now.UTC().Format("20060102T150405Z") + "-" + strings.ToLower(rand.Text()[:8])
	return name, f.root.Mkdir(name, 0o700)
}

const tablesPrefix = "database-"

// write creates a file, writes it by fill and syncs it.
func (f *folder) write(name string, fill func(io.Writer) error) (sum, error) {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return sum{}, err
	}
	counted := newCounter(file)
	err = fill(counted)
	if err == nil {
		err = file.Sync()
	}
	return counted.sum(), errors.Join(err, file.Close())
}

// checkFile reads a file and returns an error unless it is what the sum says.
func checkFile(root *os.Root, name string, want sum) error {
	file, err := root.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	got, err := sumOf(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if got != want {
		return fmt.Errorf("%s is damaged: %w", filepath.Join(root.Name(), name), errDiffers)
	}
	return nil
}

// errDiffers means that bytes are not those that were written.
var errDiffers = errors.New("the copy differs from what was backed up")

// replaceManifest makes the manifest the current one, and so ends the backup.
func (f *folder) replaceManifest(m *manifest) error {
	const temporary = manifestName + ".new"
	var err error
	if m.Check, err = m.hash(); err != nil {
		return err
	}
	_, err = f.write(temporary, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(m)
	})
	if err != nil {
		return err
	}
	for _, name := range []string{m.Folder, "."} {
		if err := f.sync(name); err != nil {
			return err
		}
	}
	if err := f.root.Rename(temporary, manifestName); err != nil {
		return err
	}
	return f.sync(".")
}

func (f *folder) sync(name string) error {
	return durable.SyncFolder(filepath.Join(f.root.Name(), name))
}

// removeOthers removes everything that the manifest and the list of objects do not name.
func (f *folder) removeOthers(m *manifest, objects map[string]object) error {
	if f.copied != nil {
		if err := errors.Join(f.copied.Close(), f.root.Remove(copiedName)); err != nil {
			return err
		}
		f.copied = nil
	}
	if err := f.removeTables(m.Folder); err != nil {
		return err
	}
	if m.Objects == nil {
		return nil
	}
	return fs.WalkDir(f.root.FS(), filesFolder, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // no object was ever copied
			return fs.SkipAll
		}
		if err != nil || entry.IsDir() {
			return err
		}
		if _, ok := objects[strings.TrimPrefix(name, filesFolder+"/")]; ok {
			return nil
		}
		return f.root.Remove(name)
	})
}

// removeTables removes the folders of tables, except the one that is kept.
func (f *folder) removeTables(kept string) error {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), tablesPrefix) && entry.Name() != kept {
			err = errors.Join(err, f.root.RemoveAll(entry.Name()))
		}
	}
	return err
}

// earlier returns the objects that are in the folder already: those of the manifest, and those that
// backups which did not end have copied. A list that cannot be read has none: its objects are copied
// again.
func (f *folder) earlier(m *manifest) map[string]object {
	objects := map[string]object{}
	if m != nil && m.Objects != nil {
		if file, err := f.root.Open(path.Join(m.Folder, objectsName)); err == nil {
			if read, err := readObjects(file); err == nil {
				objects = read
			}
			_ = file.Close() // read only
		}
	}
	if file, err := f.root.Open(copiedName); err == nil {
		read, _ := readObjects(file) // its last line may be incomplete
		for key, o := range read {
			objects[key] = o
		}
		_ = file.Close() // read only
	}
	return objects
}

// noteCopied adds an object to the list for the next backup, should this one not end.
func (f *folder) noteCopied(o object) error {
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.copied == nil {
		// A list with an incomplete last line would lose the next one too.
		f.copied, err = f.root.OpenFile(copiedName, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err == nil {
			_, err = f.copied.WriteString("\n")
		}
		if err != nil {
			return err
		}
	}
	_, err = f.copied.Write(append(line, '\n'))
	return err
}

// counter counts and hashes what is written.
type counter struct {
	w     io.Writer
	hash  hash.Hash
	bytes int64
}

func newCounter(w io.Writer) *counter { return &counter{w: w, hash: sha256.New()} }

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.hash.Write(p[:n]) // never fails
	c.bytes += int64(n)
	return n, err
}

func (c *counter) sum() sum { return sum{c.bytes, hex.EncodeToString(c.hash.Sum(nil))} }

// sumOf reads everything.
func sumOf(r io.Reader) (sum, error) {
	c := newCounter(io.Discard)
	_, err := io.CopyBuffer(struct{ io.Writer }{c}, r, make([]byte, 256<<10))
	return c.sum(), err
}
