package sog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/image/webp"

	"portico/splat/folder"
	"portico/splat/input"
)

// headerBytes limits the search for an image's header, which profiles and previews may
// precede.
const headerBytes = 1 << 20

// An image may have up to maxSizeRatio times the pixels that it needs plus extraPixels,
// because some writers round its sides up to powers of two. More are refused: empty
// pixels take time but no bytes, so a small file could have any number.
const (
	maxSizeRatio = 4
	extraPixels  = 1 << 20
	// maxPositionsPerByte limits the number of positions per byte of the image with
	// their low bytes. Real positions take more than a byte each; without the limit,
	// a few kilobytes could become millions of Gaussians.
	maxPositionsPerByte = 64
)

// location is where a chunk's files are.
type location struct {
	folder folder.Reader
	dir    string // the directory of the manifest, "." at the top
	bundle string // name of the bundle that is the folder, if any, for error texts
	limits Limits
}

// contextReader returns the context's error once the context ends.
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

// resolve returns the path of a file that a manifest names. The file must be in the
// manifest's folder or below it.
func (p location) resolve(manifest, name string) (string, error) {
	clean := path.Clean(name)
	if name == "" || clean == "." || !fs.ValidPath(clean) || strings.ContainsAny(clean, "\\:\x00") {
		return "", input.Errorf(manifest, "refers to %s, which is not a file in its folder", input.Quote(name)).Advise(adviceToExportAgain)
	}
	return path.Join(p.dir, clean), nil
}

// displayName returns the name of a file in error texts.
func (p location) displayName(name string) string { return path.Join(p.bundle, p.dir, name) }

// open opens a file that a manifest names. It also returns its name for error texts.
func (p location) open(ctx context.Context, manifest, name string) (file folder.File, shown string, err error) {
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
		return nil, shown, input.Errorf(shown, "is missing").Advise("Upload the capture with all its files")
	default:
		return nil, shown, input.Errorf(shown, "is missing, although %s refers to it", input.Quote(manifest)).
			Advise("Upload the capture with all its files")
	}
}

// inspect checks the header of an image and returns the image's size.
func (p location) inspect(ctx context.Context, manifest string, of chunkImage) (image.Point, error) {
	file, shown, err := p.open(ctx, manifest, of.name)
	if err != nil {
		return image.Point{}, err
	}
	defer file.Close() //nolint:errcheck // read only
	return p.inspectFile(ctx, file, shown, of)
}

// inspectFile checks the header of an opened image and returns the image's size.
func (p location) inspectFile(ctx context.Context, file folder.File, name string, of chunkImage) (image.Point, error) {
	start := io.NewSectionReader(file, 0, min(file.Size(), headerBytes))
	// A small buffer, because the header of a usual file is in its first 30 bytes and a
	// capture in remote storage may have thousands of images.
	buffered := bufio.NewReaderSize(contextReader{ctx, start}, 64)
	decodeConfig := webp.DecodeConfig
	if isPNG(buffered) {
		decodeConfig = png.DecodeConfig
	}
	config, err := decodeConfig(buffered)
	if ctx.Err() != nil {
		return image.Point{}, ctx.Err()
	}
	if err != nil {
		return image.Point{}, input.Errorf(name, "is not a readable WebP or PNG image").Advise(adviceToExportAgain)
	}
	size := image.Pt(config.Width, config.Height)
	have := int64(size.X) * int64(size.Y)
	switch {
	case !isExact(config.ColorModel):
		return size, input.Errorf(name, "is not a lossless WebP image, or a PNG with 8 bits for each channel").
			Advise("Export the capture again, and do not change its images")
	case size.X > maxSide || size.Y > maxSide || have > p.limits.Pixels:
		return size, input.Errorf(name, "has %d x %d pixels, which is too large", size.X, size.Y).Advise(adviceToExportInParts)
	case have < of.minPixels:
		return size, input.Damaged(name, "it has %d x %d pixels, too few for %d values", size.X, size.Y, of.minPixels)
	case have > maxSizeRatio*of.minPixels+extraPixels:
		return size, input.Damaged(name, "it has %d x %d pixels, far too many for %d values", size.X, size.Y, of.minPixels)
	case of.distinct && of.minPixels > extraPixels && file.Size() < of.minPixels/maxPositionsPerByte:
		return size, input.Damaged(name, "it has %d bytes, too few for %d distinct positions", file.Size(), of.minPixels)
	}
	return size, nil
}

// decode returns the pixels of an image, row by row with 4 bytes each, and its size. It checks the
// header first, so the image has at least minPixels pixels. The pixels have not been premultiplied
// by alpha.
func (p location) decode(ctx context.Context, manifest string, of chunkImage) ([]byte, image.Point, error) {
	file, shown, err := p.open(ctx, manifest, of.name)
	if err != nil {
		return nil, image.Point{}, err
	}
	defer file.Close() //nolint:errcheck // read only
	size, err := p.inspectFile(ctx, file, shown, of)
	if err != nil {
		return nil, size, err
	}
	// A file may be in remote storage, so it is read in larger pieces than the
	// decoder requests.
	all := contextReader{ctx, io.NewSectionReader(file, 0, file.Size())}
	buffered := bufio.NewReaderSize(all, 1<<16)
	decode := webp.Decode
	if isPNG(buffered) {
		decode = png.Decode
	}
	decoded, err := decode(buffered)
	if ctx.Err() != nil {
		return nil, size, ctx.Err()
	}
	if err != nil || decoded.Bounds().Size() != size {
		return nil, size, input.Damaged(shown, "its pixels cannot be read")
	}
	return pixelsOf(decoded), size, nil
}

// isPNG reports whether a file has the signature of PNG instead of WebP ("The SOG Format", 1: other
// formats with 8 bits for each channel may be used).
func isPNG(r *bufio.Reader) bool {
	const signature = "\x89PNG\r\n\x1a\n"
	head, _ := r.Peek(len(signature)) // an error is found again by the decoder
	return string(head) == signature
}

// isExact reports whether a decoded image of this model has every byte that was stored. Lossy WebP
// has another model. PNG has RGBA instead of NRGBA if it has no alpha, and optimisers make palettes
// and shades of grey of images with few colours.
func isExact(of color.Model) bool {
	if _, ok := of.(color.Palette); ok {
		return true
	}
	return of == color.NRGBAModel || of == color.RGBAModel || of == color.GrayModel
}

// pixelsOf returns the pixels of a decoded image of an exact model, with 4 bytes each.
func pixelsOf(decoded image.Image) []byte {
	switch picture := decoded.(type) {
	case *image.NRGBA:
		return picture.Pix
	case *image.RGBA: // opaque
		return picture.Pix
	case *image.Paletted:
		colours := make([]color.NRGBA, 256)
		for i, c := range picture.Palette {
			colours[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
		}
		pixels := make([]byte, 0, 4*len(picture.Pix))
		for _, index := range picture.Pix {
			c := colours[index]
			pixels = append(pixels, c.R, c.G, c.B, c.A)
		}
		return pixels
	}
	// A shade of grey is opaque, so it stays exact.
	all := image.NewNRGBA(decoded.Bounds())
	draw.Draw(all, all.Rect, decoded, all.Rect.Min, draw.Src)
	return all.Pix
}
