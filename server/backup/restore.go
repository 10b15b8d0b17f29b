package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"portico/db/dump"
	"portico/db/migrations"
	"portico/model"
	"portico/server/stored"
	"portico/storage"
)

// Backup is a complete backup, opened for a restore. The caller closes it.
type Backup struct {
	folder   *folder
	manifest *manifest
	secret   []byte
	objects  map[string]object
}

// Open reads the backup in a folder and checks that it is complete: the tables byte by byte, and the
// objects by their sizes. The bytes of the objects are checked when they are copied.
func Open(path string) (_ *Backup, err error) {
	if _, err := os.Stat(filepath.Join(path, manifestName)); err != nil {
		return nil, fmt.Errorf("%w in %s: it has no %s", errNoBackup, path, manifestName)
	}
	f, err := openRead(path)
	if err != nil {
		return nil, err
	}
	b := &Backup{folder: f}
	if b.manifest, err = readManifest(f.root); err == nil {
		err = b.check()
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Close releases the folder.
func (b *Backup) Close() { b.folder.close() }

// Secret returns the secret of the server.
func (b *Backup) Secret() []byte { return b.secret }

// HasObjects reports whether the backup has the objects of the store. One of the database alone has
// none.
func (b *Backup) HasObjects() bool { return b.manifest.Objects != nil }

func (b *Backup) check() error {
	m := b.manifest
	for _, table := range m.Tables {
		if err := checkFile(b.folder.root, path.Join(m.Folder, table.name()), table.sum); err != nil {
			return err
		}
	}
	if err := checkFile(b.folder.root, path.Join(m.Folder, secretName), m.Secret); err != nil {
		return err
	}
	text, err := b.folder.root.ReadFile(path.Join(m.Folder, secretName))
	if err != nil {
		return err
	}
	if b.secret = bytes.TrimSpace(text); len(b.secret) < model.MinSecretBytes {
		return errors.New("the secret in the backup is damaged")
	}
	if m.Objects == nil {
		return nil
	}
	list := path.Join(m.Folder, objectsName)
	if err := checkFile(b.folder.root, list, m.Objects.sum); err != nil {
		return err
	}
	file, err := b.folder.root.Open(list)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	if b.objects, err = readObjects(file); err != nil {
		return err
	}
	for _, o := range b.objects {
		info, err := b.folder.root.Stat(path.Join(filesFolder, o.Key))
		if err != nil {
			return err
		}
		if info.Size() != o.Size {
			return fmt.Errorf("%s is damaged: %w", filepath.Join(b.folder.root.Name(), filesFolder, o.Key), errDiffers)
		}
	}
	return nil
}

// Restoration is a restore into an empty database, whose tables are there and empty.
type Restoration struct {
	backup *Backup
	tables *dump.Restoration
	log    *slog.Logger
}

// Prepare creates the tables of the backup in an empty database. It changes nothing if the database
// is not empty, if a server uses it, or if this program is older than the backup. The address is that
// of the owner.
func (b *Backup) Prepare(ctx context.Context, database string, log *slog.Logger) (*Restoration, error) {
	tables, err := dump.OpenRestoration(ctx, database, b.manifest.Migrations, log)
	if errors.Is(err, migrations.ErrNewer) {
		return nil, fmt.Errorf("the backup was made by Portico %s, and %w", b.manifest.Version, err)
	}
	if err != nil {
		return nil, err
	}
	return &Restoration{b, tables, log}, nil
}

// Close closes the connection to the database.
func (r *Restoration) Close() { r.tables.Close() }

// Run copies the objects and then the tables, and reads both again. Only Progress of the options and
// Store are used. After an error the tables are empty, and the restore may be started again.
func (r *Restoration) Run(ctx context.Context, o Options) (*Result, error) {
	result := &Result{CreatedAt: r.backup.manifest.CreatedAt}
	if err := r.copyObjects(ctx, o, result); err != nil {
		return nil, err
	}
	var tables []dump.Table
	for _, table := range r.backup.manifest.Tables {
		tables = append(tables, table.Table)
	}
	if err := r.tables.Begin(ctx, tables); err != nil {
		return nil, err
	}
	for _, table := range r.backup.manifest.Tables {
		if err := r.fill(ctx, table); err != nil {
			return nil, err
		}
		result.Rows += table.Rows
	}
	return result, r.tables.Commit(ctx, tables, r.backup.manifest.Sequences)
}

// fill fills a table, and compares what is in it with the file.
func (r *Restoration) fill(ctx context.Context, table tableFile) error {
	file, err := r.backup.folder.root.Open(path.Join(r.backup.manifest.Folder, table.name()))
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	if _, err := r.tables.Copy(ctx, table.Table, file); err != nil {
		return err
	}
	read := newCounter(io.Discard)
	if err := r.tables.CopyBack(ctx, table.Table, read); err != nil {
		return err
	}
	if read.sum() != table.sum {
		return fmt.Errorf("table %s: %w", table.Name, errDiffers)
	}
	return nil
}

// RestoreObjects puts back the objects that rows of the database name and that the store lacks or has
// with another size. It changes no row, so servers may run.
func (b *Backup) RestoreObjects(ctx context.Context, o Options) (*Result, error) {
	snapshot, err := dump.OpenSnapshot(ctx, o.Database)
	if err != nil {
		return nil, err
	}
	holdings, err := snapshot.Holdings(ctx)
	snapshot.Close()
	if err != nil {
		return nil, err
	}
	index, sizes := stored.NewIndex(holdings), map[string]int64{}
	for found, err := range o.Store.List(ctx, "") {
		if err != nil {
			return nil, err
		}
		sizes[found.Key] = found.Size
	}
	result := &Result{CreatedAt: b.manifest.CreatedAt}
	for key, each := range b.objects {
		if index.RowOf(key) == nil {
			continue
		}
		result.Objects++
		result.Bytes += each.Size
		if size, ok := sizes[key]; ok && size == each.Size {
			continue
		}
		if _, err := b.put(ctx, o.Store, each); err != nil {
			return nil, fmt.Errorf("restore the file %s: %w", key, err)
		}
		result.Copied++
		result.CopiedBytes += each.Size
	}
	return result, nil
}

// copyObjects copies the objects into the store. One that is there already is compared, because the
// restore may have been interrupted, or only the database was lost.
func (r *Restoration) copyObjects(ctx context.Context, o Options, result *Result) error {
	var mu sync.Mutex
	var done atomic.Int64
	copying, groupCtx := errgroup.WithContext(ctx)
	copying.SetLimit(copiesAtOnce)
	for _, each := range r.backup.objects {
		result.Objects++
		result.Bytes += each.Size
		copying.Go(func() error {
			if groupCtx.Err() != nil {
				return groupCtx.Err()
			}
			isNew, err := r.backup.put(groupCtx, o.Store, each)
			if err != nil {
				return fmt.Errorf("restore the file %s: %w", each.Key, err)
			}
			if o.Progress != nil {
				o.Progress(done.Add(each.Size), r.backup.manifest.Objects.Total)
			}
			mu.Lock()
			defer mu.Unlock()
			if isNew {
				result.Copied++
				result.CopiedBytes += each.Size
			}
			return nil
		})
	}
	return copying.Wait()
}

// put stores an object and reads it again, unless the store has it. isNew reports whether it did.
func (b *Backup) put(ctx context.Context, store storage.Store, o object) (isNew bool, err error) {
	if err := compare(ctx, store, o); err == nil || !errors.Is(err, storage.ErrNotFound) && !errors.Is(err, errDiffers) {
		return false, err
	}
	// First, because a store has no way back from a wrong object.
	name := path.Join(filesFolder, o.Key)
	if err := checkFile(b.folder.root, name, sum{o.Size, o.SHA256}); err != nil {
		return false, err
	}
	file, err := b.folder.root.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close() //nolint:errcheck // read only
	if _, err := store.Put(ctx, o.Key, file); err != nil {
		return false, err
	}
	return true, compare(ctx, store, o)
}

// compare returns an error unless the store has the bytes of the object.
func compare(ctx context.Context, store storage.Store, o object) error {
	source, err := store.Open(ctx, o.Key)
	if err != nil {
		return err
	}
	defer source.Close() //nolint:errcheck // read only
	got, err := sumOf(source)
	if err == nil && got != (sum{o.Size, o.SHA256}) {
		err = errDiffers
	}
	return err
}
