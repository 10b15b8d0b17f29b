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

// target is the file or the folder that a conversion creates.
type target struct {
	path string
	// extension is the format, in lower case: the extension of a bundle or of a
	// picture, or "" for a folder, whatever the folder's own name ends in.
	extension string
	// pictureSize is the size of a picture in pixels, and frames the number of pictures
	// of a turntable; 0 for a still picture.
	pictureSize image.Point
	frames      int
	// collision are the options of a collision.
	collision splat.CollisionOptions
}

// newTarget returns the target that OUT names.
func newTarget(out string, pictureSize image.Point) (target, error) {
	if filepath.Base(out) == splat.StreamedSOGName {
		return target{path: filepath.Dir(out)}, nil
	}
	extension := strings.ToLower(filepath.Ext(out))
	// filepath.Ext sees the last extension only, and these formats have two.
	if strings.HasSuffix(strings.ToLower(out), compressedPLY) {
		extension = compressedPLY
	}
	for _, suffix := range []string{splat.CollisionSuffix, splat.CollisionMeshSuffix} {
		if strings.HasSuffix(out, suffix) {
			extension = suffix
		}
	}
	_, isFile := fileFormats()[extension]
	switch {
	case isFile, extension == "", extension == ".sog", extension == ".jpg", extension == ".jpeg", extension == ".png", extension == webp, extension == splat.CollisionSuffix, extension == splat.CollisionMeshSuffix:
		return target{path: out, extension: extension, pictureSize: pictureSize}, nil
	}
	return target{}, fmt.Errorf("%s: cannot convert to %s; name a folder, a .sog, .ply, .compressed.ply, .spz, .glb or .csv, a .jpg, a .png or a .webp, a %s or a %s", out, extension, splat.CollisionSuffix, splat.CollisionMeshSuffix)
}

// webp is the extension of a picture, or of a turntable.
const webp = ".webp"

// compressedPLY is the extension by which SuperSplat and splat-transform distinguish their
// PLY from any other.
const compressedPLY = ".compressed.ply"

// fileFormats returns the formats that are one file besides SOG, by their extensions.
func fileFormats() map[string]splat.Format {
	return map[string]splat.Format{
		".ply": splat.FormatPLY, compressedPLY: splat.FormatCompressedPLY, ".spz": splat.FormatSPZ,
		".glb": splat.FormatGLB, ".csv": splat.FormatCSV,
	}
}

// checkFree returns an error if the target exists and is not an empty folder.
func (t target) checkFree() error {
	if t.extension == splat.CollisionSuffix {
		if _, err := os.Lstat(binaryOf(t.path)); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, fmt.Errorf("%s exists; name a new file", binaryOf(t.path)))
		}
	}
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
	return fmt.Errorf("%s exists; name a new file or an empty folder", t.path)
}

// convert converts the capture. It writes into a temporary folder beside the target, on the
// same file system, so that a rename moves the complete result into place.
func (t target) convert(ctx context.Context, capture *splat.Capture, o splat.ConvertOptions) (conversion, error) {
	if t.extension == splat.CollisionSuffix || t.extension == splat.CollisionMeshSuffix {
		// The collector must know how much the work needs, else it lets garbage grow beside
		// it up to the limit of the process.
		limitHeap(collisionMemory(capture.Facts) + capture.Held())
	} else {
		limitHeap(conversionMemory(capture.Facts) + capture.Held())
	}
	folder, err := os.MkdirTemp(filepath.Dir(t.path), stagingPattern(os.Getpid()))
	if err != nil {
		return conversion{}, err
	}
	staged := t
	staged.path = filepath.Join(folder, filepath.Base(t.path))
	o.Scratch = folder
	result, err := staged.write(ctx, capture, o)
	// The second file first: a viewer that finds the manifest must find what it names.
	if err == nil && t.extension == splat.CollisionSuffix {
		err = moveInto(binaryOf(staged.path), binaryOf(t.path))
	}
	if err == nil {
		err = moveInto(staged.path, t.path)
	}
	return result, errors.Join(err, os.RemoveAll(folder))
}

// moveInto renames the result. An empty folder at its place is removed first; it is an error
// if somebody has put files there meanwhile.
func moveInto(staged, out string) error {
	if info, err := os.Lstat(out); err == nil && info.IsDir() {
		if err := os.Remove(out); err != nil {
			return err
		}
	}
	return os.Rename(staged, out)
}

// write writes the result to its path.
func (t target) write(ctx context.Context, capture *splat.Capture, o splat.ConvertOptions) (conversion, error) {
	switch t.extension {
	case "":
		return t.writeStreamed(ctx, capture, o)
	case ".sog":
		return t.writeBundle(ctx, capture, o)
	case splat.CollisionSuffix:
		return t.writeCollision(ctx, capture, o)
	case splat.CollisionMeshSuffix:
		return t.writeCollisionMesh(ctx, capture, o)
	}
	if t.frames > 0 {
		return t.writeTurntable(ctx, capture, o)
	}
	if format, ok := fileFormats()[t.extension]; ok {
		return t.writeFormat(ctx, capture, format, o)
	}
	return t.writePicture(ctx, capture)
}

// writeFormat writes one file of another format, which has only the finest level.
func (t target) writeFormat(ctx context.Context, capture *splat.Capture, format splat.Format, o splat.ConvertOptions) (result conversion, err error) {
	f, err := os.OpenFile(t.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return conversion{}, err
	}
	result = conversion{Primary: filepath.Base(t.path), Files: 1}
	result.Facts, result.Warnings, err = capture.WriteFile(ctx, format, f, o)
	if info, statErr := f.Stat(); statErr == nil {
		result.Bytes = info.Size()
	}
	return result, errors.Join(err, f.Close())
}

// writePicture draws Gaussians, or scales an image down. The facts are the picture's, with
// the attribution of the capture, which must be shown with its pictures too.
func (t target) writePicture(ctx context.Context, capture *splat.Capture) (conversion, error) {
	drawn, err := capture.Picture(ctx, t.pictureSize)
	if err != nil {
		return conversion{}, err
	}
	result := conversion{Primary: filepath.Base(t.path), Files: 1}
	result.Facts = splat.Facts{Width: drawn.Bounds().Dx(), Height: drawn.Bounds().Dy(), Attribution: capture.Facts.Attribution}
	result.Bytes, err = writeFile(t.path, func(w io.Writer) error {
		if t.extension == ".png" {
			result.Facts.Format = splat.FormatPNG
			return png.Encode(w, drawn)
		}
		if t.extension == webp {
			result.Facts.Format = splat.FormatWebP
			return splat.EncodeWebP(w, drawn)
		}
		result.Facts.Format = splat.FormatJPEG
		return splat.EncodeJPEG(w, drawn)
	})
	return result, err
}

// writeTurntable draws Gaussians from all sides.
func (t target) writeTurntable(ctx context.Context, capture *splat.Capture, o splat.ConvertOptions) (conversion, error) {
	options := splat.TurntableOptions{Width: t.pictureSize.X, Height: t.pictureSize.Y, Frames: t.frames}
	result := conversion{Primary: filepath.Base(t.path), Files: 1}
	size, err := writeFile(t.path, func(w io.Writer) (err error) {
		result.Facts, err = capture.WriteTurntable(ctx, w, options, o)
		return err
	})
	result.Bytes = size
	return result, err
}

// writeBundle writes one .sog, which has only the finest level.
func (t target) writeBundle(ctx context.Context, capture *splat.Capture, o splat.ConvertOptions) (conversion, error) {
	result := conversion{Primary: filepath.Base(t.path), Files: 1}
	size, err := writeFile(t.path, func(w io.Writer) (err error) {
		result.Facts, result.Warnings, err = capture.WriteSOG(ctx, w, o)
		return err
	})
	result.Bytes = size
	return result, err
}

// writeStreamed writes a folder with a lod-meta.json. That file is written last: a folder
// without it is incomplete.
func (t target) writeStreamed(ctx context.Context, capture *splat.Capture, o splat.ConvertOptions) (result conversion, err error) {
	if err := os.Mkdir(t.path, 0o755); err != nil {
		return conversion{}, err
	}
	local, err := folder.OpenLocal(t.path)
	if err != nil {
		return conversion{}, err
	}
	defer func() { err = errors.Join(err, local.Close()) }()
	to := &countingFolder{Writer: local}
	result.Facts, result.Warnings, err = capture.WriteStreamedSOG(ctx, to, o)
	result.Primary = splat.StreamedSOGName
	result.Files, result.Bytes = to.files, to.bytes
	return result, err
}

// writeFile creates a file, which must not exist yet, and returns its size.
func writeFile(path string, write func(io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	err = errors.Join(write(&countingWriter{WriteCloser: f, bytes: &size}), f.Close())
	return size, err // a statement of its own: write changes size
}
