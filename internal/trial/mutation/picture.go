package main

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"path"
)

// pictureCaptures returns images of all formats. The WebP is a texture of a SOG; the others
// have 300 x 200 pixels.
func pictureCaptures(made []capture) ([]capture, error) {
	const width, height = 300, 200
	drawn := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		x, y := i%width, i/width
		drawn.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), uint8(x * y / 100), 255})
	}
	flat := image.NewPaletted(drawn.Rect, palette.WebSafe)
	draw.Draw(flat, flat.Rect, drawn, image.Point{}, draw.Src)
	var pngs, jpegs, gifs bytes.Buffer
	err := errors.Join(png.Encode(&pngs, drawn), jpeg.Encode(&jpegs, drawn, nil), gif.Encode(&gifs, flat, nil))
	all := []capture{
		singleFile("a.png", false, pngs.Bytes()), singleFile("a.jpg", false, jpegs.Bytes()), singleFile("a.gif", false, gifs.Bytes()),
	}
	for _, c := range made {
		for name, content := range c.files {
			if path.Base(name) == "means_l.webp" && c.name == "sog-folder" {
				all = append(all, singleFile("a.webp", false, content))
			}
		}
	}
	return all, err
}
