package sog_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"golang.org/x/image/webp"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/sog"
)

// withPNG replaces the images of a folder of version 2 by PNG images that change returns.
func withPNG(t *testing.T, change func(name string, picture *image.NRGBA) image.Image) folder.Memory {
	t.Helper()
	files := smallFolder(t)
	out := folder.Memory{}
	for name, content := range files {
		if !strings.HasSuffix(name, ".webp") {
			out[name] = bytes.ReplaceAll(content, []byte(".webp"), []byte(".png"))
			continue
		}
		decoded, err := webp.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := png.Encode(&b, change(name, decoded.(*image.NRGBA))); err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(name, ".webp")+".png"] = b.Bytes()
	}
	return out
}

func TestOpen_reads_PNG_images(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(string, *image.NRGBA) image.Image{
		"with alpha": func(_ string, p *image.NRGBA) image.Image { return p },
		// The PNG of an opaque image has no alpha.
		"with palettes": func(_ string, p *image.NRGBA) image.Image {
			paletted := image.NewPaletted(p.Rect, nil)
			known := map[color.Color]byte{}
			for i := range paletted.Pix {
				c := p.At(i%p.Rect.Dx(), i/p.Rect.Dx())
				index, ok := known[c]
				if !ok {
					if len(known) == 256 {
						return p
					}
					index = byte(len(known))
					known[c], paletted.Palette = index, append(paletted.Palette, c)
				}
				paletted.Pix[i] = index
			}
			return paletted
		},
		"in grey": func(_ string, p *image.NRGBA) image.Image {
			grey := image.NewGray(p.Rect)
			for i := range grey.Pix {
				c := p.Pix[4*i:]
				if grey.Pix[i] = c[0]; c[1] != c[0] || c[2] != c[0] || c[3] != 255 {
					return p
				}
			}
			return grey
		},
	} {
		files := withPNG(t, change)
		reader := open(t, files, "meta.json")
		if _, err := reader.Check(t.Context()); err != nil {
			t.Errorf("%s: check: %v", name, err)
		}
		compare(t, capture(100, 1, 1), readAll(t, reader, 0))
	}
}

// A shade of grey is three equal bytes.
func TestOpen_reads_grey_as_three_channels(t *testing.T) {
	t.Parallel()
	files := withPNG(t, func(name string, p *image.NRGBA) image.Image {
		if name != "scales.webp" {
			return p
		}
		grey := image.NewGray(p.Rect)
		for i := range grey.Pix {
			grey.Pix[i] = byte(i)
		}
		return grey
	})
	var m struct{ Scales struct{ Codebook []float32 } }
	if err := json.Unmarshal(files["meta.json"], &m); err != nil {
		t.Fatal(err)
	}
	got := readAll(t, open(t, files, "meta.json"), 0)
	for i, v := range got.Scales {
		if want := m.Scales.Codebook[min(i/3, len(m.Scales.Codebook)-1)]; v != want {
			t.Fatalf("scale %d: got %g, want %g", i, v, want)
		}
	}
}

func openError(t *testing.T, files folder.Memory) error {
	t.Helper()
	_, err := sog.Open(t.Context(), files, "meta.json")
	return err
}

func TestOpen_refuses_PNG_images_that_are_not_exact(t *testing.T) {
	t.Parallel()
	deep := withPNG(t, func(name string, p *image.NRGBA) image.Image {
		if name != "quats.webp" {
			return p
		}
		return image.NewNRGBA64(p.Rect)
	})
	wantInputError(t, openError(t, deep), `"quats.png" is not a lossless WebP image, or a PNG with 8 bits for each channel`)
	cut := withPNG(t, func(_ string, p *image.NRGBA) image.Image { return p })
	cut["sh0.png"] = cut["sh0.png"][:len(cut["sh0.png"])/2]
	reader := open(t, cut, "meta.json")
	wantInputError(t, reader.Read(t.Context(), 0, []uint32{0}, &gaussian.Cloud{}), `"sh0.png" is damaged: its pixels cannot be read`)
	narrow := withPNG(t, func(name string, p *image.NRGBA) image.Image {
		if name != "means_l.webp" {
			return p
		}
		return image.NewNRGBA(image.Rect(0, 0, 20000, 1))
	})
	wantInputError(t, openError(t, narrow), `"means_l.png" has 20000 x 1 pixels`)
}
