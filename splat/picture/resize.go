package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	scaling "golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"portico/splat/folder"
)

// The limits for images that would decode to more memory than a server has.
const (
	// maxPixels is twice the number of pixels of the largest cameras.
	maxPixels = 100_000_000
	// maxDecodedBytes is the maximum memory for decoding.
	maxDecodedBytes = 400 << 20
	// maxDecodedSide is the maximum width and height, which is the maximum of JPEG.
	maxDecodedSide = 1 << 16
	// maxScans is the maximum number of scans of a progressive JPEG. Decoding each
	// scan visits all pixels. Real images have about ten.
	maxScans = 1000
	// maxResized is the maximum width and height of a resized image in pixels.
	maxResized = 2048
)

// Resize decodes an image and shrinks it to fit into maxWidth and maxHeight, which are 1 to
// 2048 pixels. It keeps the proportions, applies the EXIF orientation and never enlarges. It
// uses the first picture of an animated GIF. An image that is damaged or too large, and a size
// out of range, is an *input.Error.
func Resize(ctx context.Context, file folder.File, maxWidth, maxHeight int) (image.Image, error) {
	if err := checkSize(maxWidth, maxHeight, maxResized); err != nil {
		return nil, err
	}
	h, err := inspect(file)
	if err != nil {
		return nil, err
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	decoded, err := h.decode(ctx, file)
	if err != nil {
		return nil, err
	}
	if h.swapsSides() {
		maxWidth, maxHeight = maxHeight, maxWidth
	}
	// The image is scaled before it is rotated, because rotating the small image takes less time.
	scaled, err := Shrink(ctx, decoded, maxWidth, maxHeight)
	if err != nil {
		return nil, err
	}
	return orient(scaled, h.orientation), nil
}

// Shrink scales an image to fit into maxWidth and maxHeight. It keeps the proportions and never
// enlarges.
func Shrink(ctx context.Context, m image.Image, maxWidth, maxHeight int) (*image.RGBA, error) {
	size := fitSize(m.Bounds().Size(), maxWidth, maxHeight)
	smaller, err := downsample(ctx, m, size)
	if err != nil {
		return nil, err
	}
	scaled := image.NewRGBA(image.Rectangle{Max: size})
	scaling.CatmullRom.Scale(scaled, scaled.Rect, smaller, smaller.Bounds(), draw.Src, nil)
	return scaled, ctx.Err()
}

// check returns an error for an image that must not be decoded.
func (h header) check() error {
	pixels := int64(h.width) * int64(h.height) // of at most 31 bits each
	switch {
	case h.animated:
		return inputErrorf("The WebP image is animated; only still images can be resized")
	case max(h.width, h.height) > maxDecodedSide || pixels > maxPixels || pixels*h.pixelBytes > maxDecodedBytes:
		return inputErrorf("The image is too large to be decoded: %d x %d pixels", h.width, h.height)
	}
	return nil
}

// decode decodes the image. It returns errors of the store and of the context unchanged, even
// if the decoder replaces them. Every other error is an *input.Error.
func (h header) decode(ctx context.Context, file folder.File) (image.Image, error) {
	r := &imageReader{ctx: ctx, r: io.NewSectionReader(file, 0, file.Size()), progressive: h.progressive}
	var decoded image.Image
	var err error
	switch h.format {
	case formatJPEG:
		decoded, err = jpeg.Decode(r)
	case formatPNG:
		decoded, err = png.Decode(r)
	case formatGIF:
		decoded, err = gif.Decode(r)
	case formatWebP:
		decoded, err = webp.Decode(r)
	}
	switch {
	case r.err != nil:
		return nil, fmt.Errorf("read image: %w", r.err)
	case err != nil || decoded.Bounds().Empty():
		return nil, inputErrorf("The image is damaged: it cannot be decoded")
	}
	return decoded, nil
}

// imageReader is a reader that stops when the context ends, and stores errors of the context
// and of the store.
type imageReader struct {
	ctx context.Context
	r   io.Reader
	err error
	// progressive reports whether to count the scans of a JPEG.
	progressive bool
	scans       int
}

// errScans stops the decoder. The user sees that the image is damaged.
var errScans = errors.New("too many scans")

// Read implements io.Reader.
//
// A marker whose two bytes are in two reads is not counted, which does not matter for a limit of
// this size.
func (s *imageReader) Read(p []byte) (int, error) {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	if s.scans += bytes.Count(p[:n], []byte{0xff, markerSOS}); s.progressive && s.scans > maxScans {
		return 0, errScans // not stored in s.err, because it is a fault of the image
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// fitSize returns the largest size with the same proportions that is within the limits and not
// larger than the size.
func fitSize(size image.Point, maxWidth, maxHeight int) image.Point {
	w, h := int64(size.X), int64(size.Y)
	width, height := int64(maxWidth), int64(maxHeight)
	switch {
	case w <= width && h <= height:
		return size
	case w*height > h*width:
		return image.Pt(maxWidth, int(max((h*width+w/2)/w, 1)))
	}
	return image.Pt(int(max((w*height+h/2)/h, 1)), maxHeight)
}

// downsample averages rectangles of pixels if an image is at least three times as large as
// needed. The result is at least one and a half times as large as needed, so that the scaler
// still determines the quality. The scaler alone would need 32 bytes for each pixel of its
// first pass, which is too much memory for large images.
func downsample(ctx context.Context, m image.Image, size image.Point) (image.Image, error) {
	b := m.Bounds()
	factorX, factorY := max(2*b.Dx()/(3*size.X), 1), max(2*b.Dy()/(3*size.Y), 1)
	if factorX == 1 && factorY == 1 {
		return m, nil
	}
	small := image.NewRGBA(image.Rect(0, 0, b.Dx()/factorX, b.Dy()/factorY))
	row := image.NewRGBA(image.Rect(0, 0, small.Rect.Dx()*factorX, 1))
	sums := make([]uint64, small.Stride)
	for y := range small.Rect.Dy() * factorY {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		draw.Draw(row, row.Rect, m, image.Pt(b.Min.X, b.Min.Y+y), draw.Src)
		for at := range sums {
			pixel := at / 4 * 4 * factorX
			for i := pixel + at%4; i < pixel+4*factorX; i += 4 {
				sums[at] += uint64(row.Pix[i])
			}
		}
		if (y+1)%factorY != 0 {
			continue
		}
		for at, sum := range sums {
			n := uint64(factorX * factorY) // adding half of it rounds to the nearest value
			small.Pix[y/factorY*small.Stride+at] = byte((sum + n/2) / n)
		}
		clear(sums)
	}
	return small, nil
}

// orient applies an EXIF orientation (EXIF 2.3, tag 0x112): it mirrors or rotates the
// image by quarter turns.
//
// What each orientation does to the stored image:
//
//	2    mirrored left to right
//	3    turned by 180 degrees
//	4    mirrored top to bottom
//	5    sides exchanged
//	6    turned to the right
//	7    sides exchanged and turned by 180 degrees
//	8    turned to the left
func orient(m *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 {
		return m
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	size := image.Pt(w, h)
	if orientation >= 5 {
		size = image.Pt(h, w)
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			// The source of the pixel for the orientations 2 to 8.
			from := [...]image.Point{
				{w - 1 - x, y}, {w - 1 - x, h - 1 - y}, {x, h - 1 - y},
				{y, x}, {y, h - 1 - x}, {w - 1 - y, h - 1 - x}, {w - 1 - y, x},
			}[orientation-2]
			out.SetRGBA(x, y, m.RGBAAt(from.X, from.Y))
		}
	}
	return out
}
