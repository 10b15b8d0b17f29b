package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"portico/splat"
	"portico/splat/folder"
)

// convertCommand is "portico convert": the spatial tools at a shell, and the
// child process that a worker runs, so that a hostile capture can end no server.
type convertCommand struct {
	limitFlags
	confineFlags
	In     string `arg:"" help:"The capture: .lcc .lcc2 .ply .spz .sog .zip, lod-meta.json, meta.json, or an image." type:"path"`
	Out    string `arg:"" help:"What to make: a folder, for streamed SOG, or its lod-meta.json; FILE.sog; a picture, FILE.jpg or FILE.png." type:"path"`
	Width  int    `help:"Width of a picture in pixels, and at most that of an image." default:"640" placeholder:"PX"`
	Height int    `help:"Height of a picture in pixels." default:"400" placeholder:"PX"`
}

// converted is how the command tells of what it has made.
type converted struct {
	// Primary is the name of the file to load, relative to OUT where that is a
	// folder.
	Primary string      `json:"primary"`
	Files   int         `json:"files"`
	Bytes   int64       `json:"bytes"`
	Facts   splat.Facts `json:"facts"`
	// Warnings say what of the capture could not be kept as it was.
	Warnings []string `json:"warnings,omitempty"`
}

// Run converts. OUT appears when it is whole: until then it has another name.
func (c *convertCommand) Run(ctx context.Context, call *call) error {
	t := c.talk(call)
	return t.end(c.limited(ctx, func(ctx context.Context) error {
		goal, err := c.goal()
		if err != nil {
			return err
		}
		if err := mustBeFree(goal.path); err != nil {
			return err
		}
		capture, err := c.open(ctx, c.In, filepath.Dir(goal.path))
		if err != nil {
			return err
		}
		if len(c.Confine) > 0 { // which has made the folder the current one
			goal.path = filepath.Base(goal.path)
		}
		keepSmall(capture.Facts)
		made, err := c.stage(ctx, capture, goal, t)
		if err := errors.Join(err, capture.Close()); err != nil {
			return err
		}
		return t.result(made, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s: %d files, %d bytes\n", goal.path, made.Files, made.Bytes)
			return err
		})
	}))
}

// goal is what OUT asks for.
type goal struct {
	path string
	// extension says what is made, in lower case: that of a bundle, that of a
	// picture, or "" for a folder, whatever the folder's own name ends in.
	extension string
}

// goal reads OUT, before anything is done for it.
func (c *convertCommand) goal() (goal, error) {
	if filepath.Base(c.Out) == splat.StreamedSOGName {
		return goal{path: filepath.Dir(c.Out)}, nil
	}
	extension := strings.ToLower(filepath.Ext(c.Out))
	switch extension {
	case "", ".sog", ".jpg", ".jpeg", ".png":
		return goal{c.Out, extension}, nil
	}
	return goal{}, fmt.Errorf("%s: nothing is converted to %s; name a folder, a .sog, a .jpg or a .png", c.Out, extension)
}

// mustBeFree refuses to overwrite anything; an empty folder is nothing.
func mustBeFree(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.IsDir() {
		var entries []fs.DirEntry
		if entries, err = os.ReadDir(path); err == nil && len(entries) == 0 {
			return nil
		}
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%s exists", path)
}

// stage makes the result beside its place, so that a rename moves it there, or
// removes it.
func (c *convertCommand) stage(ctx context.Context, capture *openedCapture, to goal, t *talk) (converted, error) {
	staged, err := os.MkdirTemp(filepath.Dir(to.path), ".portico-")
	if err != nil {
		return converted{}, err
	}
	path := filepath.Join(staged, filepath.Base(to.path))
	made, err := c.convert(ctx, capture, goal{path, to.extension}, t)
	if err == nil {
		err = place(path, to.path)
	}
	return made, errors.Join(err, os.RemoveAll(staged))
}

// place gives the result its name. An empty folder has to make room; one that is
// not empty any more cannot be removed, and is an error.
func place(staged, out string) error {
	if info, err := os.Lstat(out); err == nil && info.IsDir() {
		if err := os.Remove(out); err != nil {
			return err
		}
	}
	return os.Rename(staged, out)
}

// convert makes what is asked for.
func (c *convertCommand) convert(ctx context.Context, capture *openedCapture, to goal, t *talk) (converted, error) {
	switch to.extension {
	case "":
		return streamed(ctx, capture, to.path, t.options())
	case ".sog":
		return bundle(ctx, capture, to.path, t.options())
	default:
		return c.picture(ctx, capture, to)
	}
}

// options are how a writer is told to work: on as many cores as the server would
// do jobs at a time.
func (t *talk) options() splat.ConvertOptions {
	return splat.ConvertOptions{Workers: t.workers, Progress: t.progress}
}

// picture draws Gaussians, or makes an image fit. Its facts are those of the picture,
// but the line that must be shown with the capture must be with its picture too.
func (c *convertCommand) picture(ctx context.Context, capture *openedCapture, to goal) (converted, error) {
	drawn, err := capture.Picture(ctx, image.Pt(c.Width, c.Height))
	if err != nil {
		return converted{}, err
	}
	made := converted{Primary: filepath.Base(to.path), Files: 1}
	made.Facts = splat.Facts{Width: drawn.Bounds().Dx(), Height: drawn.Bounds().Dy(), Attribution: capture.Facts.Attribution}
	made.Bytes, err = writeFile(to.path, func(w io.Writer) error {
		if to.extension == ".png" {
			made.Facts.Format = splat.FormatPNG
			return png.Encode(w, drawn)
		}
		made.Facts.Format = splat.FormatJPEG
		return splat.EncodeJPEG(w, drawn)
	})
	return made, err
}

// bundle writes one .sog, which has the finest level alone.
func bundle(ctx context.Context, capture *openedCapture, path string, o splat.ConvertOptions) (converted, error) {
	made := converted{Primary: filepath.Base(path), Files: 1}
	size, err := writeFile(path, func(w io.Writer) (err error) {
		made.Facts, made.Warnings, err = capture.WriteSOG(ctx, w, o)
		return err
	})
	made.Bytes = size
	return made, err
}

// streamed writes a folder with a lod-meta.json, which is written last: a folder
// without one is not whole.
func streamed(ctx context.Context, capture *openedCapture, path string, o splat.ConvertOptions) (made converted, err error) {
	if err := os.Mkdir(path, 0o755); err != nil {
		return converted{}, err
	}
	local, err := folder.OpenLocal(path)
	if err != nil {
		return converted{}, err
	}
	defer func() { err = errors.Join(err, local.Close()) }()
	to := &countingFolder{to: local}
	made.Facts, made.Warnings, err = capture.WriteStreamedSOG(ctx, to, o)
	made.Primary = splat.StreamedSOGName
	made.Files, made.Bytes = to.files, to.bytes
	return made, err
}

// writeFile makes a file, which must not be there yet, and returns its size.
func writeFile(path string, write func(io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	err = errors.Join(write(&countingWriter{WriteCloser: f, bytes: &size}), f.Close())
	return size, err // not in one line: size is to be read after the writing
}

// openedCapture is a capture and what had to be opened, or unpacked, for it.
type openedCapture struct {
	*splat.Capture

	// closers undo the opening; they are called from the last to the first.
	closers []func() error
}

// Close closes everything, and removes what was unpacked.
func (c *openedCapture) Close() error {
	errs := []error{c.Capture.Close()}
	for i := len(c.closers) - 1; i >= 0; i-- {
		errs = append(errs, c.closers[i]())
	}
	return errors.Join(errs...)
}

// openCapture opens the file at the path, and a zip by unpacking what it holds
// into a temporary folder.
func openCapture(ctx context.Context, path string) (*openedCapture, error) {
	if strings.EqualFold(filepath.Ext(path), ".zip") {
		return openZip(ctx, path)
	}
	return openIn(ctx, filepath.Dir(path), filepath.Base(path))
}

// openIn opens a capture by its name in a folder. Its manifest may name other files
// of the folder, and none outside of it.
func openIn(ctx context.Context, path, name string) (*openedCapture, error) {
	local, err := folder.OpenLocal(path)
	if err != nil {
		return nil, err
	}
	capture, err := splat.Open(ctx, local, name)
	if err != nil {
		return nil, errors.Join(err, local.Close())
	}
	return &openedCapture{Capture: capture, closers: []func() error{local.Close}}, nil
}
