package sog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/image/webp"

	"portico/splat/folder"
	"portico/splat/input"
)

// headerBytes is how far into an image its size is looked for. Whole profiles and
// previews may stand before it.
const headerBytes = 1 << 20

// spare and sparePixels bound how much larger an image may be than it must: sides
// that are powers of two are. Empty pixels cost time and no bytes, so a small file
// could have any number of them.
const (
	spare       = 4
	sparePixels = 1 << 20
	// emptiness bounds how many positions a byte of their low bytes may stand
	// for: real ones need more than one byte each, and a few kilobytes must not
	// become millions of Gaussians.
	emptiness = 64
)

// place is where a chunk's files are.
type place struct {
	folder folder.Reader
	at     string // the directory that names are relative to, "." at the top
	bundle string // what the folder is, if it is a bundle: for error texts
	limits Limits
}

// contextReader ends with the error of a context that is over.
type contextReader struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// resolve returns the path of a file that a manifest names. It must lie below the
// manifest, where the whole capture is.
func (p place) resolve(manifest, name string) (string, error) {
	clean := path.Clean(name)
	if name == "" || clean == "." || !fs.ValidPath(clean) || strings.ContainsAny(clean, "\\:\x00") {
		return "", input.Errorf(manifest, "refers to %s, which is no file beside it", input.Quote(name))
	}
	return path.Join(p.at, clean), nil
}

// shown is what error texts call a file that has been opened.
func (p place) shown(name string) string { return path.Join(p.bundle, p.at, name) }

// open opens a file that a manifest names. It also returns what error texts are
// to call it.
func (p place) open(ctx context.Context, manifest, name string) (file folder.File, shown string, err error) {
	at, err := p.resolve(manifest, name)
	if err != nil {
		return nil, "", err
	}
	shown = path.Join(p.bundle, at)
	file, err = p.folder.Open(ctx, at)
	switch {
	case err == nil:
		return file, shown, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, shown, fmt.Errorf("open %s: %w", input.Quote(shown), err)
	case at == manifest:
		return nil, shown, input.Errorf(shown, "is missing")
	default:
		return nil, shown, input.Errorf(shown, "is missing, although %s refers to it", input.Quote(manifest))
	}
}

// measure returns the size of an image and checks that it is what it must be, by
// its header only.
func (p place) measure(ctx context.Context, manifest string, of chunkImage) (image.Point, error) {
	file, shown, err := p.open(ctx, manifest, of.name)
	if err != nil {
		return image.Point{}, err
	}
	defer file.Close() //nolint:errcheck // read only
	return p.header(ctx, file, shown, of)
}

// header does measure's work on an opened image.
func (p place) header(ctx context.Context, file folder.File, name string, of chunkImage) (image.Point, error) {
	start := io.NewSectionReader(file, 0, min(file.Size(), headerBytes))
	config, err := webp.DecodeConfig(bufio.NewReaderSize(contextReader{ctx, start}, 64))
	if ctx.Err() != nil {
		return image.Point{}, ctx.Err()
	}
	if err != nil {
		return image.Point{}, input.Errorf(name, "is no WebP image that can be read")
	}
	size := image.Pt(config.Width, config.Height)
	have := int64(size.X) * int64(size.Y)
	switch {
	case config.ColorModel != color.NRGBAModel:
		return size, input.Errorf(name, "is not compressed without loss")
	case size.X > maxSide || size.Y > maxSide || have > p.limits.Pixels:
		return size, input.Errorf(name, "has %d x %d pixels, which is too large", size.X, size.Y)
	case have < of.pixels:
		return size, input.Errorf(name, "has %d x %d pixels, too few for %d values", size.X, size.Y, of.pixels)
	case have > spare*of.pixels+sparePixels:
		return size, input.Errorf(name, "has %d x %d pixels, far too many for %d values", size.X, size.Y, of.pixels)
	case of.dense && of.pixels > sparePixels && file.Size() < of.pixels/emptiness:
		return size, input.Errorf(name, "has %d bytes, too few for %d different positions", file.Size(), of.pixels)
	}
	return size, nil
}

// decode returns the pixels of an image, row by row and 4 bytes each, and its
// size. It has at least as many pixels as it must.
func (p place) decode(ctx context.Context, manifest string, of chunkImage) ([]byte, image.Point, error) {
	file, shown, err := p.open(ctx, manifest, of.name)
	if err != nil {
		return nil, image.Point{}, err
	}
	defer file.Close() //nolint:errcheck // read only
	size, err := p.header(ctx, file, shown, of)
	if err != nil {
		return nil, size, err
	}
	// A file may be far away, so it is read in larger pieces than the decoder asks
	// for.
	all := contextReader{ctx, io.NewSectionReader(file, 0, file.Size())}
	decoded, err := webp.Decode(bufio.NewReaderSize(all, 1<<16))
	if ctx.Err() != nil {
		return nil, size, ctx.Err()
	}
	picture, ok := decoded.(*image.NRGBA)
	if err != nil || !ok || picture.Rect.Size() != size || picture.Stride != 4*size.X {
		return nil, size, input.Errorf(shown, "is damaged: its pixels cannot be read")
	}
	return picture.Pix, size, nil
}
