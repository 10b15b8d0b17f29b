package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path"
	"slices"
	"strings"
	"time"

	"portico/db/dump"
	"portico/server/stored"
	"portico/storage"
)

// Options configures Write and Restore.
type Options struct {
	// Folder is the folder of the backup.
	Folder string
	// Database is the address of the database, with the role that owns the tables. A backup needs no
	// more than to read them.
	Database string
	// Store has the objects. Nil means a backup of the database alone.
	Store storage.Store
	// Secret is the server's secret, which a backup contains.
	Secret []byte
	// Version is the version of the program.
	Version string
	// Verify reads the copies of earlier backups again, and copies anew what is damaged.
	Verify bool
	Logger *slog.Logger
	// Progress is called often, by several goroutines, with the bytes of all objects and of those that
	// are done. Nil is not called.
	Progress func(done, total int64)
}

// Result says what a backup or a restore did.
type Result struct {
	CreatedAt time.Time
	Rows      int64
	Objects   int
	Bytes     int64 // of the objects
	// Copied and CopiedBytes are the objects that were not there already.
	Copied      int
	CopiedBytes int64
	// Missing are the objects and folders that rows name and that are nowhere.
	Missing []string
}

// maxRounds is how often the tables are copied because objects were deleted meanwhile.
const maxRounds = 5

// Write makes a backup, while servers go on, and replaces the one in the folder. After an error the
// former one is still there.
func Write(ctx context.Context, o Options) (*Result, error) {
	f, err := openFolder(o.Folder)
	if err != nil {
		return nil, err
	}
	defer f.close()
	former, err := readManifest(f.root)
	if err != nil && !errors.Is(err, errNoBackup) {
		return nil, err
	}
	kept := ""
	if former != nil {
		kept = former.Folder
	}
	if err := f.removeTables(kept); err != nil { // of backups that did not end
		return nil, err
	}
	b := &writing{Options: o, folder: f, earlier: f.earlier(former)}
	var missing []string
	for range maxRounds {
		before := missing
		if missing, err = b.round(ctx); err != nil {
			return nil, err
		}
		if len(missing) == 0 || slices.Equal(missing, before) {
			break
		}
	}
	b.result.Missing = missing
	if err := f.replaceManifest(b.manifest); err != nil {
		return nil, err
	}
	return &b.result, f.removeOthers(b.manifest, b.objects)
}

// writing is a backup while it is written.
type writing struct {
	Options

	folder   *folder
	earlier  map[string]object // that are in the folder
	manifest *manifest
	objects  map[string]object // of the manifest
	result   Result
}

// round copies the tables and then the objects that their rows name, and returns the objects that it
// did not find.
func (b *writing) round(ctx context.Context) (missing []string, err error) {
	if b.manifest != nil {
		if err := b.folder.root.RemoveAll(b.manifest.Folder); err != nil {
			return nil, err
		}
	}
	now := time.Now()
	b.manifest = &manifest{Format: format, CreatedAt: now.UTC(), Version: b.Version}
	b.result = Result{CreatedAt: now}
	if b.manifest.Folder, err = b.folder.newTables(now); err != nil {
		return nil, err
	}
	b.manifest.Secret, err = b.folder.write(path.Join(b.manifest.Folder, secretName), func(w io.Writer) error {
		_, err := w.Write(append(slices.Clone(b.Secret), '\n'))
		return err
	})
	if err != nil {
		return nil, err
	}
	holdings, err := b.copyTables(ctx)
	if err != nil || b.Store == nil {
		return nil, err
	}
	index := stored.NewIndex(holdings)
	if err := b.copyObjects(ctx, index); err != nil {
		return nil, err
	}
	list := &objectList{Count: len(b.objects)}
	list.sum, err = b.folder.write(path.Join(b.manifest.Folder, objectsName), func(w io.Writer) error { return writeObjects(w, b.objects) })
	for _, o := range b.objects {
		list.Total += o.Size
	}
	b.manifest.Objects = list
	b.result.Objects, b.result.Bytes = list.Count, list.Total
	for _, row := range index.Short() {
		missing = append(missing, row.Key)
	}
	return missing, err
}

// copyTables copies all tables as they are in one transaction, and returns what their rows have in
// the store.
func (b *writing) copyTables(ctx context.Context) ([]dump.Holding, error) {
	snapshot, err := dump.OpenSnapshot(ctx, b.Database)
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	m := b.manifest
	if m.Migrations, err = snapshot.Migrations(ctx); err != nil {
		return nil, err
	}
	tables, err := snapshot.Tables(ctx)
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		file := tableFile{Table: table}
		file.sum, err = b.folder.write(path.Join(m.Folder, file.name()), func(w io.Writer) (err error) {
			file.Rows, err = snapshot.Copy(ctx, table, w)
			return err
		})
		if err == nil {
			err = checkFile(b.folder.root, path.Join(m.Folder, file.name()), file.sum)
		}
		if err != nil {
			return nil, err
		}
		m.Tables = append(m.Tables, file)
		b.result.Rows += file.Rows
	}
	if m.Sequences, err = snapshot.Sequences(ctx); err != nil || b.Store == nil {
		return nil, err
	}
	return snapshot.Holdings(ctx)
}

// MissingError returns an error that names the objects that are missing, or nil.
func (r *Result) MissingError() error {
	if len(r.Missing) == 0 {
		return nil
	}
	const shown = 5
	names := strings.Join(r.Missing[:min(shown, len(r.Missing))], ", ")
	if len(r.Missing) > shown {
		names += ", ..."
	}
	return fmt.Errorf("the backup is there, but the files of %d rows are missing in the store and in the backup: %s. "+
		"portico doctor says more", len(r.Missing), names)
}
