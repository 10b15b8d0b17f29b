package graph

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/draw"

	"portico/model"
)

// maxScans is the maximum number of scans of a JPEG. Progressive images have about ten. Each scan
// visits all pixels, so thousands of tiny ones would take minutes.
//
// Counting the markers is safe: 0xFF in the data of a scan is followed by 0x00 or a restart marker,
// so a count is never too low.
const maxScans = 100

// pictureQuality is the quality of stored JPEGs.
const pictureQuality = 85

func pictureError(problem string) error { return model.InvalidField("picture", problem) }

// pictureHeader is what the header of a picture says before the picture is decoded.
type pictureHeader struct {
	decode func(io.Reader) (image.Image, error)
	// memory is how much memory decode takes, in bytes.
	memory int
}

// ordinaryPictureMemory is the memory that an interlaced PNG of the largest size with 8 bits for
// each colour takes. A JPEG that is not progressive takes less, unless it is in RGB or CMYK.
const ordinaryPictureMemory = 24 << 20

// isLarge reports whether decoding the picture takes more memory than an ordinary picture of the
// largest size.
func (h pictureHeader) isLarge() bool { return h.memory > ordinaryPictureMemory }

// headerOf returns the header of a PNG or a JPEG from a client. It refuses a picture over a limit:
// the bytes sent, the scans, then width and height.
func headerOf(sent []byte) (pictureHeader, error) {
	header := pictureHeader{decode: png.Decode}
	if len(sent) > model.MaxAccountPictureBytes {
		return header, pictureError(fmt.Sprintf("must have at most %d bytes", model.MaxAccountPictureBytes))
	}
	decodeConfig, memoryOfPixel := png.DecodeConfig, pngMemory
	if bytes.HasPrefix(sent, []byte{0xFF, 0xD8}) {
		header.decode, decodeConfig, memoryOfPixel = jpeg.Decode, jpeg.DecodeConfig, jpegMemory
		if bytes.Count(sent, []byte{0xFF, 0xDA}) > maxScans {
			return header, pictureError("has too many scans")
		}
	}
	config, err := decodeConfig(bytes.NewReader(sent))
	if err != nil {
		return header, pictureError("must be a PNG or a JPEG")
	}
	if config.Width < 1 || config.Height < 1 || max(config.Width, config.Height) > model.MaxAccountPictureSide {
		return header, pictureError(fmt.Sprintf("must be from 1 to %d pixels wide and high", model.MaxAccountPictureSide))
	}
	header.memory = config.Width * config.Height * memoryOfPixel(config.ColorModel, sent)
	return header, nil
}

// pngMemory returns how many bytes Go's decoder allocates for each pixel of an interlaced PNG: the
// picture itself, and an image of the last pass, which has half of its pixels. Other PNGs take
// less.
//
// A grey picture with 16 bits may be transparent (the chunk tRNS, which DecodeConfig does not
// read). The decoder turns it into one with four channels.
func pngMemory(colors color.Model, _ []byte) int {
	if colors == color.NRGBA64Model || colors == color.RGBA64Model || colors == color.Gray16Model {
		return 8 + 4
	}
	return 4 + 2
}

// jpegMemory returns how many bytes Go's decoder allocates for each pixel of a JPEG whose colours
// all have the full resolution: a plane for each component, the picture that the planes are copied
// into for some models, and for a progressive JPEG a coefficient of 32 bits for each value.
//
// Looking for the marker of a progressive JPEG is safe, as counting the scans is. A marker in a
// thumbnail makes the result too high.
func jpegMemory(colors color.Model, sent []byte) int {
	components, copied := 3, 0
	switch colors {
	case color.GrayModel:
		components = 1
	case color.RGBAModel:
		copied = 4
	case color.CMYKModel:
		components, copied = 4, 4
	}
	memory := components + copied
	if bytes.Contains(sent, []byte{0xFF, 0xC2}) {
		memory += 4 * components
	}
	return memory
}

// squarePicture decodes a PNG or a JPEG, whose header headerOf has accepted, and returns the square
// at its centre as a JPEG, at most model.AccountPictureSize pixels wide. The result has only pixels
// of the image: no location, no camera, no profile and no bytes after the image. Transparent pixels
// become white.
func squarePicture(header pictureHeader, sent []byte) ([]byte, error) {
	picture, err := header.decode(bytes.NewReader(sent))
	if err != nil {
		return nil, pictureError("is damaged or incomplete")
	}
	var encoded bytes.Buffer
	err = jpeg.Encode(&encoded, square(picture), &jpeg.Options{Quality: pictureQuality})
	return encoded.Bytes(), err
}

// square returns the square at the centre of the picture on white. It does not enlarge it.
// CatmullRom is a cubic filter, which keeps faces sharp when they are made smaller.
func square(picture image.Image) image.Image {
	bounds := picture.Bounds()
	side := min(bounds.Dx(), bounds.Dy())
	centre := image.Rect(0, 0, side, side).Add(bounds.Min).Add(image.Pt((bounds.Dx()-side)/2, (bounds.Dy()-side)/2))
	size := min(side, model.AccountPictureSize)
	result := image.NewRGBA(image.Rect(0, 0, size, size))
	draw.Draw(result, result.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.CatmullRom.Scale(result, result.Bounds(), picture, centre, draw.Over, nil)
	return result
}
