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

// Limits against images that unpack to more than a server has.
const (
	// maxPixels is twice what the largest cameras have.
	maxPixels = 100_000_000
	// maxDecodedBytes bounds what decoding holds in memory.
	maxDecodedBytes = 400 << 20
	// maxDecodedSide bounds the sides, as JPEG does anyway.
	maxDecodedSide = 1 << 16
	// maxScans bounds the work that a progressive JPEG asks for: each of its
	// scans goes over all pixels. Real ones have about ten.
	maxScans = 1000
	// maxResized is the largest side of what is made smaller, in pixels.
	maxResized = 2048
)

// Resize decodes an image and returns it no wider and no higher than this, in
// pixels, 1 to 2048. It keeps its proportions, is turned as its EXIF data says
// and is never enlarged. Of an animated GIF it is the first picture. An image
// that is damaged or too large is an *input.Error.
func Resize(ctx context.Context, file folder.File, maxWidth, maxHeight int) (image.Image, error) {
	if maxWidth < 1 || maxHeight < 1 || maxWidth > maxResized || maxHeight > maxResized {
		return nil, fmt.Errorf("resize an image to %d x %d pixels", maxWidth, maxHeight)
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
	if h.turned() {
		maxWidth, maxHeight = maxHeight, maxWidth
	}
	size := fit(decoded.Bounds().Size(), maxWidth, maxHeight)
	smaller, err := shrink(ctx, decoded, size)
	if err != nil {
		return nil, err
	}
	scaled := image.NewRGBA(image.Rectangle{Max: size})
	scaling.CatmullRom.Scale(scaled, scaled.Rect, smaller, smaller.Bounds(), draw.Src, nil)
	return turn(scaled, h.orientation), ctx.Err()
}

// check refuses what must not be decoded.
func (h header) check() error {
	pixels := int64(h.width) * int64(h.height) // of at most 31 bits each
	switch {
	case h.animated:
		return faulty("The WebP image is animated; only still ones can be made smaller")
	case max(h.width, h.height) > maxDecodedSide || pixels > maxPixels || pixels*h.pixelBytes > maxDecodedBytes:
		return faulty("The image is too large to be decoded: %d x %d pixels", h.width, h.height)
	}
	return nil
}

// decode decodes the image. Whatever the decoder says, an error of the storage or
// of the context is that; every other one is the image's.
func (h header) decode(ctx context.Context, file folder.File) (image.Image, error) {
	r := &stoppable{ctx: ctx, r: io.NewSectionReader(file, 0, file.Size()), progressive: h.progressive}
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
		return nil, faulty("The image is damaged: it cannot be decoded")
	}
	return decoded, nil
}

// stoppable is a reader that ends with the context and remembers an error that
// is not the file's.
type stoppable struct {
	ctx context.Context
	r   io.Reader
	err error
	// progressive is a JPEG whose scans are counted.
	progressive bool
	scans       int
}

// errScans stops the decoder. The user is told that the image is damaged.
var errScans = errors.New("too many scans")

// Read implements io.Reader.
func (s *stoppable) Read(p []byte) (int, error) {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	if s.scans += bytes.Count(p[:n], []byte{0xff, markerSOS}); s.progressive && s.scans > maxScans {
		return 0, errScans // the decoder stops, and the image is at fault
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// fit returns the largest size of these proportions within the limits, and not
// above the size itself.
func fit(size image.Point, maxWidth, maxHeight int) image.Point {
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

// shrink averages rectangles of pixels of an image that is more than three times as
// large as needed, which leaves at least one and a half times what is needed for
// the scaler to be good at: that one holds 32 bytes for each pixel of its first
// pass and as many for each of a row, too many for large images.
func shrink(ctx context.Context, m image.Image, size image.Point) (image.Image, error) {
	b := m.Bounds()
	wide, high := max(2*b.Dx()/(3*size.X), 1), max(2*b.Dy()/(3*size.Y), 1)
	if wide == 1 && high == 1 {
		return m, nil
	}
	small := image.NewRGBA(image.Rect(0, 0, b.Dx()/wide, b.Dy()/high))
	row := image.NewRGBA(image.Rect(0, 0, small.Rect.Dx()*wide, 1))
	sums := make([]uint64, small.Stride)
	for y := range small.Rect.Dy() * high {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		draw.Draw(row, row.Rect, m, image.Pt(b.Min.X, b.Min.Y+y), draw.Src)
		for at := range sums {
			pixel := at / 4 * 4 * wide
			for i := pixel + at%4; i < pixel+4*wide; i += 4 {
				sums[at] += uint64(row.Pix[i])
			}
		}
		if (y+1)%high != 0 {
			continue
		}
		for at, sum := range sums {
			n := uint64(wide * high)
			small.Pix[y/high*small.Stride+at] = byte((sum + n/2) / n)
		}
		clear(sums)
	}
	return small, nil
}

// turn returns the image as an EXIF orientation wants it seen (EXIF 2.3, tag
// 0x112): mirrored, upside down, on its side.
func turn(m *image.RGBA, orientation int) *image.RGBA {
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
			// Where the pixel comes from, for the orientations from 2 to 8.
			from := [...]image.Point{
				{w - 1 - x, y}, {w - 1 - x, h - 1 - y}, {x, h - 1 - y},
				{y, x}, {y, h - 1 - x}, {w - 1 - y, h - 1 - x}, {w - 1 - y, x},
			}[orientation-2]
			out.SetRGBA(x, y, m.RGBAAt(from.X, from.Y))
		}
	}
	return out
}

// Encode writes an image as JPEG, or as PNG if any of it is transparent, and
// returns the media type.
func Encode(w io.Writer, m image.Image) (mediaType string, err error) {
	if opaque, ok := m.(interface{ Opaque() bool }); ok && opaque.Opaque() {
		return "image/jpeg", EncodeJPEG(w, m)
	}
	return "image/png", png.Encode(w, m)
}
