package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"portico/server"
	"portico/splat"
	"portico/splat/folder"
	"portico/worker/sandbox"
)

// confineFlags are for the worker that starts a spatial command as its child: the
// command then opens its input, gives up everything that it does not need, and
// only after that reads a byte of the file.
type confineFlags struct {
	Confine  []string      `hidden:"" help:"Measures to confine this process by; 'limits' for those of resources alone."`
	Whole    bool          `hidden:"" help:"Other files of the input's folder belong to it."`
	CPU      time.Duration `hidden:"" help:"Time on processors that may be used."`
	FileSize server.Size   `hidden:"" help:"Size that no file may exceed."`
}

// open opens the capture at the path. Where the process is to be confined it is,
// and the folder, the only one where files can be made from then on, becomes the
// current one; "" is none.
func (f *confineFlags) open(ctx context.Context, path, into string) (*openedCapture, error) {
	if len(f.Confine) == 0 {
		return openCapture(ctx, path)
	}
	files, err := hold(ctx, path, f.Whole)
	if err != nil {
		return nil, err
	}
	if into != "" {
		// By its path the new user might not reach it.
		if err := os.Chdir(into); err != nil {
			return nil, err
		}
		into = "."
	}
	measures := make([]sandbox.Measure, 0, len(f.Confine))
	for _, name := range f.Confine {
		if name != limitsAlone {
			measures = append(measures, sandbox.Measure(name))
		}
	}
	err = sandbox.Enter(sandbox.Options{Measures: measures, Folder: into, CPU: f.CPU, FileSize: int64(f.FileSize)})
	if err != nil {
		return nil, err
	}
	capture, err := splat.Open(ctx, files, filepath.Base(path))
	if err != nil {
		return nil, err
	}
	return &openedCapture{Capture: capture}, nil
}

// limitsAlone stands in the list of measures where there is no other.
const limitsAlone = "limits"

// held is a folder whose files are all open, since a confined process can open
// none. They are closed with the process.
type held map[string]folder.File

// hold opens the file at the path; with whole, all files of its folder too.
func hold(ctx context.Context, path string, whole bool) (held, error) {
	directory, err := folder.OpenLocal(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer directory.Close() //nolint:errcheck // files stay open
	files := held{}
	take := func(name string) error {
		file, err := directory.Open(ctx, name)
		if err == nil {
			files[name] = file
		}
		return err
	}
	if !whole {
		return files, take(filepath.Base(path))
	}
	err = filepath.WalkDir(filepath.Dir(path), func(at string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(filepath.Dir(path), at)
		if err != nil {
			return err
		}
		return take(filepath.ToSlash(name))
	})
	return files, err
}

// Open implements folder.Reader.
func (h held) Open(_ context.Context, name string) (folder.File, error) {
	file, ok := h[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return shared{file}, nil
}

// shared is a file that others read too.
type shared struct{ folder.File }

// Close leaves the file open.
func (shared) Close() error { return nil }

// confinementCommand is what a worker asks before it starts children.
type confinementCommand struct{}

// Run tries what confines a process here, in this one.
func (confinementCommand) Run(_ context.Context, c *call) error {
	missing := map[string]string{}
	for measure, err := range sandbox.Try() {
		missing[string(measure)] = err.Error()
	}
	return printJSON(c.out, map[string]any{"result": map[string]any{"missing": missing}})
}
