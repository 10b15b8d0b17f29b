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

// target is the file or the folder that a conversion makes.
type target struct {
	path string
	// extension is the format, in lower case: the extension of a bundle or of a
	// picture, or "" for a folder, whatever the folder's own name ends in.
	extension string
	// pictureSize is the size of a picture in pixels.
	pictureSize image.Point
}

// newTarget returns the target that OUT names.
func newTarget(out string, pictureSize image.Point) (target, error) {
	if filepath.Base(out) == splat.StreamedSOGName {
		return target{path: filepath.Dir(out)}, nil
	}
	extension := strings.ToLower(filepath.Ext(out))
	switch extension {
	case "", ".sog", ".jpg", ".jpeg", ".png":
		return target{out, extension, pictureSize}, nil
	}
	return target{}, fmt.Errorf("%s: nothing is converted to %s; name a folder, a .sog, a .jpg or a .png", out, extension)
}

// mustBeFree returns an error if the target exists and is not an empty folder.
func (t target) mustBeFree() error {
	info, err := os.Lstat(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.IsDir() {
		var entries []fs.DirEntry
		if entries, err = os.ReadDir(t.path); err == nil && len(entries) == 0 {
			return nil
		}
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%s exists", t.path)
}

// make converts the capture. The result is made beside its place, so that a rename
// moves it there, or is removed.
func (t target) make(ctx context.Context, capture *splat.Capture, o splat.ConvertOptions) (converted, error) {
	limitHeap(capture.Facts)
	folder, err := os.MkdirTemp(filepath.Dir(t.path), ".portico-")
	if err != nil {
		return converted{}, err
	}
	staged := t
	staged.path = filepath.Join(folder, filepath.Base(t.path))
	made, err := staged.write(ctx, capture, o)
	if err == nil {
		err = place(staged.path, t.path)
	}
	return made, errors.Join(err, os.RemoveAll(folder))
}

// place gives the result its name. An empty folder has to make room; one that is not
// empty any more cannot be removed, and is an error.
func place(staged, out string) error {
	if info, err := os.Lstat(out); err == nil && info.IsDir() {
		if err := os.Remove(out); err != nil {
			return err
		}
	}
	return os.Rename(staged, out)
}

// write writes the result at its path.
func (t target) write(ctx context.Context, capture *splat.Capture, o splat.ConvertOptions) (converted, error) {
	switch t.extension {
	case "":
		return t.streamed(ctx, capture, o)
	case ".sog":
		return t.bundle(ctx, capture, o)
	default:
		return t.picture(ctx, capture)
	}
}

// picture draws Gaussians, or scales an image down. The facts are the picture's, but
// the line that must be shown with the capture must be with its picture too.
func (t target) picture(ctx context.Context, capture *splat.Capture) (converted, error) {
	drawn, err := capture.Picture(ctx, t.pictureSize)
	if err != nil {
		return converted{}, err
	}
	made := converted{Primary: filepath.Base(t.path), Files: 1}
	made.Facts = splat.Facts{Width: drawn.Bounds().Dx(), Height: drawn.Bounds().Dy(), Attribution: capture.Facts.Attribution}
	made.Bytes, err = writeFile(t.path, func(w io.Writer) error {
		if t.extension == ".png" {
			made.Facts.Format = splat.FormatPNG
			return png.Encode(w, drawn)
		}
		made.Facts.Format = splat.FormatJPEG
		return splat.EncodeJPEG(w, drawn)
	})
	return made, err
}

// bundle writes one .sog, which has the finest level alone.
func (t target) bundle(ctx context.Context, capture *splat.Capture, o splat.ConvertOptions) (converted, error) {
	made := converted{Primary: filepath.Base(t.path), Files: 1}
	size, err := writeFile(t.path, func(w io.Writer) (err error) {
		made.Facts, made.Warnings, err = capture.WriteSOG(ctx, w, o)
		return err
	})
	made.Bytes = size
	return made, err
}

// streamed writes a folder with a lod-meta.json, which is written last: a folder
// without one is incomplete.
func (t target) streamed(ctx context.Context, capture *splat.Capture, o splat.ConvertOptions) (made converted, err error) {
	if err := os.Mkdir(t.path, 0o755); err != nil {
		return converted{}, err
	}
	local, err := folder.OpenLocal(t.path)
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

// writeFile makes a file, which must not exist yet, and returns its size.
func writeFile(path string, write func(io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	err = errors.Join(write(&countingWriter{WriteCloser: f, bytes: &size}), f.Close())
	return size, err // not in one line: size is read after the writing
}
