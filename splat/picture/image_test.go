package picture_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"portico/splat/folder"
)

// quarters returns an image with a colour in each quarter: red and green above blue and
// white.
func quarters(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.SetNRGBA(x, y, quarter(x < width/2, y < height/2))
		}
	}
	return m
}

func quarter(left, top bool) color.NRGBA {
	switch {
	case left && top:
		return color.NRGBA{R: 255, A: 255}
	case top:
		return color.NRGBA{G: 255, A: 255}
	case left:
		return color.NRGBA{B: 255, A: 255}
	}
	return color.NRGBA{R: 255, G: 255, B: 255, A: 255}
}

func encodeJPEG(m image.Image) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

func encodePNG(m image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

// encodeGIF returns an animation whose second picture is black.
func encodeGIF(m image.Image) []byte {
	palette := color.Palette{color.Black}
	for _, at := range [][2]bool{{true, true}, {false, true}, {true, false}, {false, false}} {
		palette = append(palette, quarter(at[0], at[1]))
	}
	first, second := image.NewPaletted(m.Bounds(), palette), image.NewPaletted(m.Bounds(), palette)
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			first.Set(x, y, m.At(x, y))
		}
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{first, second}, Delay: []int{1, 1}}); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

// webp returns a WebP image of one pixel, as web pages use to test browsers.
func webp(kind string) []byte {
	b, err := base64.StdEncoding.DecodeString(map[string]string{
		"lossy":     "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
		"lossless":  "UklGRh4AAABXRUJQVlA4TBEAAAAvAAAAAAfQ//73v/+BiOh/AAA=",
		"alpha":     "UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA==",
		"animation": "UklGRlIAAABXRUJQVlA4WAoAAAASAAAAAAAAAAAAQU5JTQYAAAD/////AABBTk1GJgAAAAAAAAAAAAAAAAAAAGQAAABWUDhMDQAAAC8AAAAQBxAREYiI/gcA",
	}[kind])
	if err != nil {
		panic(err) // we wrote it
	}
	return b
}

// insertOrientation inserts an EXIF orientation into a JPEG image.
func insertOrientation(b []byte, orientation uint16, order binary.AppendByteOrder) []byte {
	tiff := []byte("II")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		tiff = []byte("MM")
	}
	tiff = order.AppendUint32(order.AppendUint16(tiff, 42), 8)
	tiff = order.AppendUint16(tiff, 2)
	for tag, value := range map[uint16]uint16{0x100: 7, 0x112: orientation} {
		tiff = order.AppendUint16(tiff, tag)
		tiff = order.AppendUint16(tiff, 3) // a short
		tiff = order.AppendUint32(tiff, 1)
		tiff = order.AppendUint16(tiff, value)
		tiff = order.AppendUint16(tiff, 0)
	}
	return segment(b, 0xe1, append([]byte("Exif\x00\x00"), tiff...))
}

// segment inserts a segment after the first marker of a JPEG image.
func segment(b []byte, marker byte, body []byte) []byte {
	head := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2))
	return bytes.Join([][]byte{b[:2], head, body, b[2:]}, nil)
}

func file(t testing.TB, b []byte) folder.File {
	t.Helper()
	f, err := folder.Memory{"image": b}.Open(t.Context(), "image")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// images returns valid images of 30 x 20 pixels or one pixel.
func images() map[string][]byte {
	m := quarters(30, 20)
	return map[string][]byte{
		"jpeg": encodeJPEG(m), "png": encodePNG(m), "gif": encodeGIF(m),
		"webp lossy": webp("lossy"), "webp lossless": webp("lossless"), "webp alpha": webp("alpha"),
	}
}
