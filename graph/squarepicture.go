package graph

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

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

// pictureError returns the refusal of a picture.
func pictureError(problem string) error { return model.InvalidField("picture", problem) }

// squarePicture decodes a PNG or a JPEG from a client and returns the square at its centre as a
// JPEG, at most model.AccountPictureSize pixels wide. The result has only pixels of the image: no
// location, no camera, no profile and no bytes after the image. Transparent pixels become white.
//
// The limits hold before memory is used: the bytes sent, the scans, then width and height. Decoding
// a picture of the largest size takes up to 100 MiB: a progressive JPEG in CMYK has coefficients of
// 64 MiB beside its pixels. A PNG with 16 bits for each colour takes 48 MiB.
func squarePicture(sent []byte) ([]byte, error) {
	if len(sent) > model.MaxAccountPictureBytes {
		return nil, pictureError(fmt.Sprintf("must have at most %d bytes", model.MaxAccountPictureBytes))
	}
	decode, decodeConfig := png.Decode, png.DecodeConfig
	if bytes.HasPrefix(sent, []byte{0xFF, 0xD8}) {
		decode, decodeConfig = jpeg.Decode, jpeg.DecodeConfig
		if bytes.Count(sent, []byte{0xFF, 0xDA}) > maxScans {
			return nil, pictureError("has too many scans")
		}
	}
	// The size is known before memory for the pixels is used.
	config, err := decodeConfig(bytes.NewReader(sent))
	if err != nil {
		return nil, pictureError("must be a PNG or a JPEG")
	}
	if config.Width < 1 || config.Height < 1 || max(config.Width, config.Height) > model.MaxAccountPictureSide {
		return nil, pictureError(fmt.Sprintf("must be from 1 to %d pixels wide and high", model.MaxAccountPictureSide))
	}
	picture, err := decode(bytes.NewReader(sent))
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
