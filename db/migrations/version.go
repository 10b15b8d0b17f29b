package migrations

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// chosen are the files with these names.
type chosen struct {
	fs.FS
	names []string
}

// ReadDir implements fs.ReadDirFS, through which fs.Glob finds the files.
func (c chosen) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(c.FS, name)
	return slices.DeleteFunc(entries, func(entry fs.DirEntry) bool { return !slices.Contains(c.names, entry.Name()) }), err
}

// ErrNewer means that the tables were made by a newer version of the program.
var ErrNewer = errors.New("made by a newer version")

// CheckKnown returns an error that wraps ErrNewer if this version lacks one of the migrations.
func CheckKnown(applied []string) error { return checkKnown(Files, applied) }

// checkKnown returns an error that wraps ErrNewer unless the files have all of the migrations.
func checkKnown(files fs.FS, applied []string) error {
	known, err := fs.Glob(files, "*.sql")
	if err != nil {
		return err
	}
	for _, name := range applied {
		if !slices.Contains(known, name) {
			return fmt.Errorf("the tables were %w of Portico, which has the migration %s. Use that version, or a newer one", ErrNewer, name)
		}
	}
	return nil
}

// ErrOlder means that the tables lack migrations of this version.
var ErrOlder = errors.New("the tables are of an older version. portico migrate brings them up to date, and so does the start of a server")

// CheckVersion returns an error that wraps ErrNewer or is ErrOlder unless the migrations are those of
// this version.
func CheckVersion(applied []string) error {
	if err := CheckKnown(applied); err != nil {
		return err
	}
	known, err := fs.Glob(Files, "*.sql")
	if err == nil && len(applied) < len(known) {
		err = ErrOlder
	}
	return err
}
