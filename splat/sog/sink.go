package sog

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
)

// Sink takes the files that are written. Names are clean and slash-separated, and
// come once each. Its methods and those of its files are called one at a time, and
// each file is closed before the next is created. What a call that fails leaves
// behind is the caller's to remove.
type Sink interface {
	Create(name string) (io.WriteCloser, error)
}

// Directory is a Sink on this machine. No name leads out of it.
type Directory struct{ root *os.Root }

// OpenDirectory opens a directory that exists. Close it when all is written.
func OpenDirectory(at string) (*Directory, error) {
	root, err := os.OpenRoot(at)
	if err != nil {
		return nil, err
	}
	return &Directory{root}, nil
}

// Create creates a file and the directories that it lies in. One that is there
// already is an error, since it is of another capture.
func (d *Directory) Create(name string) (io.WriteCloser, error) {
	if at := path.Dir(name); at != "." {
		if err := d.root.MkdirAll(filepath.FromSlash(at), 0o755); err != nil {
			return nil, err
		}
	}
	return d.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// Close closes the directory.
func (d *Directory) Close() error { return d.root.Close() }

// writeFile writes a whole file to a sink.
func writeFile(sink Sink, name string, data []byte) error {
	f, err := sink.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
