package spatial

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"portico/cmd/portico/command"
	"portico/splat"
	"portico/splat/folder"
)

// target is the file or the folder that a conversion creates.
type target struct {
	path string
	// extension selects the format. It is the extension of a file in lower case, or "" for
	// a folder, even if the name of the folder has an extension.
	extension string
	// pictureSize is the size of a picture in pixels. frames is the number of pictures of a
	// turntable, or 0 for a still picture.
	pictureSize image.Point
	frames      int
	// collision is used only if the target is a collision.
	collision splat.CollisionOptions
}

// newTarget returns the target that OUT names. It reads and creates nothing. The lod-meta.json of a
// streamed SOG names its folder.
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
	if extension == ".jpeg" {
		extension = ".jpg"
	}
	if known := extensions(); extension != "" && !slices.Contains(known, extension) {
		return target{}, fmt.Errorf("%s: cannot convert to %s; name a folder, or a file that ends in one of %s", out, extension, strings.Join(known, ", "))
	}
	return target{path: out, extension: extension, pictureSize: pictureSize}, nil
}

// extensions returns the extensions of the files that a conversion writes.
func extensions() []string {
	return slices.Concat([]string{".sog"}, slices.Sorted(maps.Keys(fileFormats())),
		[]string{".jpg", ".png", webp, splat.CollisionSuffix, splat.CollisionMeshSuffix})
}

// webp is the extension of a picture or a turntable.
const webp = ".webp"

// compressedPLY is the extension by which SuperSplat and splat-transform distinguish their
// PLY from any other.
const compressedPLY = ".compressed.ply"

// fileFormats returns the formats of Gaussians that are a single file, except SOG, by their
// extensions.
func fileFormats() map[string]splat.Format {
	return map[string]splat.Format{
		".ply": splat.FormatPLY, compressedPLY: splat.FormatCompressedPLY, ".spz": splat.FormatSPZ,
		".glb": splat.FormatGLB, ".csv": splat.FormatCSV,
	}
}

// checkUnused returns an error if the target exists, unless it is an empty folder.
func (t target) checkUnused() error {
	if t.extension == splat.CollisionSuffix {
		if _, err := os.Lstat(collisionBinary(t.path)); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, fmt.Errorf("%s exists; name a new file", collisionBinary(t.path)))
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

// convert converts the capture. It writes to a temporary folder next to the target, on the same
// file system, so that the complete result can be moved to the target.
func (t target) convert(ctx context.Context, capture *splat.Capture, o splat.ConvertOptions) (conversion, error) {
	// Without this limit, the garbage would grow up to the memory limit of the process.
	limitHeap(t.memory(capture.Facts) + capture.Held())
	folder, err := os.MkdirTemp(filepath.Dir(t.path), stagingPattern(os.Getpid()))
	if err != nil {
		return conversion{}, err
	}
	staged := t
	staged.path = filepath.Join(folder, filepath.Base(t.path))
	o.Scratch = folder
	result, err := staged.write(ctx, capture, o)
	if err == nil {
		err = t.moveFrom(staged)
	}
	return result, errors.Join(err, os.RemoveAll(folder))
}

// moveFrom moves the staged result to the target: all its files, or none.
func (t target) moveFrom(staged target) error {
	if t.extension != splat.CollisionSuffix {
		return moveInto(staged.path, t.path)
	}
	// The binary file first: a viewer that finds the JSON file must find the binary file too. If the
	// process ends between the two moves, the binary file remains, and checkUnused names it at the
	// next attempt.
	binary := collisionBinary(t.path)
	if err := moveInto(collisionBinary(staged.path), binary); err != nil {
		return err
	}
	if err := moveInto(staged.path, t.path); err != nil {
		return errors.Join(err, os.Remove(binary))
	}
	return nil
}

// memory returns the memory that the conversion of a capture with these facts needs.
func (t target) memory(f splat.Facts) int64 {
	switch t.extension {
	case splat.CollisionSuffix, splat.CollisionMeshSuffix:
		return collisionMemory(f)
	case ".sog":
		return singleMemory(f)
	}
	return conversionMemory(f)
}

// moveInto moves the staged result to out. It first removes an empty folder at out, and returns
// an error if the folder is no longer empty.
func moveInto(staged, out string) error {
	if info, err := os.Lstat(out); err == nil && info.IsDir() {
		if err := os.Remove(out); err != nil {
			return err
		}
	}
	return command.MoveNew(staged, out)
}

// write writes the result in the format of the target. The target's path does not exist yet, and
// its folder is a staging folder of this process.
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

// draws reports whether the result is a picture or an animation.
func (t target) draws() bool {
	return t.frames > 0 || t.extension == ".jpg" || t.extension == ".png" || t.extension == webp
}

// writeFormat writes a file in one of fileFormats, which has only the finest level of detail.
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

// writePicture renders Gaussians, or scales an image down. The facts describe the picture. They
// include the attribution of the capture, which must be shown with its pictures too.
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

// writeTurntable renders Gaussians from all sides.
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

// writeBundle writes a .sog, which has only the finest level of detail.
func (t target) writeBundle(ctx context.Context, capture *splat.Capture, o splat.ConvertOptions) (conversion, error) {
	result := conversion{Primary: filepath.Base(t.path), Files: 1}
	size, err := writeFile(t.path, func(w io.Writer) (err error) {
		result.Facts, result.Warnings, err = capture.WriteSOG(ctx, w, o)
		return err
	})
	result.Bytes = size
	return result, err
}

// writeStreamed writes a folder with a lod-meta.json. This file is written last, so that a folder
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
	return size, err // on its own line, because write changes size
}

// countingFolder counts the files that are written, and their bytes. Put is called from one
// goroutine at a time, so the counts need no lock.
type countingFolder struct {
	folder.Writer
	// The size of a file is the size that the caller of Put declared, which Put enforces.
	files int
	bytes int64
}

// Put implements folder.Writer.
func (c *countingFolder) Put(ctx context.Context, name string, size int64, r io.Reader) error {
	c.files++
	c.bytes += size
	return c.Writer.Put(ctx, name, size, r)
}

// countingWriter counts the bytes that are written.
type countingWriter struct {
	io.WriteCloser
	bytes *int64
}

// Write implements io.Writer.
func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.WriteCloser.Write(p)
	*c.bytes += int64(n)
	return n, err
}

// The measured memory of a conversion in bytes: for each Gaussian of all levels, and for the
// chunks that are processed at a time, without and with spherical harmonics.
const (
	gaussianBytes            = 24
	chunkBytes               = 120 << 20
	chunkBytesWithHarmonics  = 300 << 20
	conversionGarbagePercent = 50 // of the live heap, which is large; see smallHeapPercent
)

// The measured memory of a SOG without levels in bytes for each Gaussian, without and with
// spherical harmonics. It is encoded as a whole.
const (
	singleGaussianBytes              = 130
	singleGaussianBytesWithHarmonics = 600
)

// The measured memory of a collision in bytes: for each Gaussian of the finest level, and for
// the voxels.
const (
	collisionGaussianBytes = 48
	collisionVoxelBytes    = 128 << 20
)

// conversionMemory returns the memory that the conversion of a capture needs.
func conversionMemory(f splat.Facts) int64 {
	gaussians := f.Environment
	for _, n := range f.Levels {
		gaussians += n
	}
	if f.Levels == nil {
		gaussians += f.Splats
	}
	need := gaussianBytes*gaussians + chunkBytes
	if f.Degree > 0 {
		need += chunkBytesWithHarmonics - chunkBytes
	}
	return need
}

// singleMemory returns the memory that the conversion of a capture to a SOG without levels needs.
func singleMemory(f splat.Facts) int64 {
	if f.Degree > 0 {
		return singleGaussianBytesWithHarmonics*f.Splats + chunkBytesWithHarmonics
	}
	return singleGaussianBytes*f.Splats + chunkBytes
}

// collisionMemory returns the memory that the collision of a capture needs.
func collisionMemory(f splat.Facts) int64 {
	return collisionGaussianBytes*f.Splats + collisionVoxelBytes
}

// limitHeap makes the garbage collector run more often once the heap exceeds need, in bytes.
// Without a limit, the garbage would grow to a multiple of need. The conversion takes about the
// same time either way.
func limitHeap(need int64) {
	debug.SetGCPercent(conversionGarbagePercent)
	const unchanged = -1
	if limit := debug.SetMemoryLimit(unchanged); limit == math.MaxInt64 || need < limit {
		debug.SetMemoryLimit(need)
	}
}
