package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"testing"

	"portico/splat/folder"
	"portico/splat/picture"
)

func TestResize_keeps_the_proportions(t *testing.T) {
	t.Parallel()
	source := quarters(300, 200)
	for _, test := range []struct{ maxWidth, maxHeight, width, height int }{
		{150, 150, 150, 100}, {150, 50, 75, 50}, {301, 201, 300, 200}, {30, 2000, 30, 20}, {7, 7, 7, 5}, {1, 1, 1, 1},
	} {
		for name, content := range map[string][]byte{"png": encodePNG(source), "jpeg": encodeJPEG(source), "gif": encodeGIF(source)} {
			m, err := picture.Resize(t.Context(), file(t, content), test.maxWidth, test.maxHeight)
			if err != nil {
				t.Fatalf("%s to %d x %d: %v", name, test.maxWidth, test.maxHeight, err)
			}
			if got, want := m.Bounds(), image.Rect(0, 0, test.width, test.height); got != want {
				t.Errorf("%s to %d x %d: got %v, want %v", name, test.maxWidth, test.maxHeight, got, want)
			}
			if test.width < 7 {
				continue
			}
			for _, left := range []bool{true, false} {
				for _, top := range []bool{true, false} {
					wantQuarter(t, m, left, top, quarter(left, top))
				}
			}
		}
	}
}

// wantQuarter checks the colour in the middle of a quarter.
func wantQuarter(t *testing.T, m image.Image, left, top bool, want color.NRGBA) {
	t.Helper()
	x, y := m.Bounds().Dx()*3/4, m.Bounds().Dy()*3/4
	if left {
		x = m.Bounds().Dx() / 4
	}
	if top {
		y = m.Bounds().Dy() / 4
	}
	got := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
	for _, pair := range [][2]byte{{got.R, want.R}, {got.G, want.G}, {got.B, want.B}, {got.A, want.A}} {
		if max(pair[0], pair[1])-min(pair[0], pair[1]) > 24 {
			t.Errorf("left %v, top %v of %v: got %v, want %v", left, top, m.Bounds().Max, got, want)
			return
		}
	}
}

// An orientation is defined by the sides of the displayed image on which the first row and
// the first column of the stored image appear (EXIF 2.3, tag 0x112).
func TestResize_applies_the_orientation(t *testing.T) {
	t.Parallel()
	const width, height = 48, 32 // when displayed
	stored := map[uint16]func(row, column int) (x, y int){
		1: func(r, c int) (x, y int) { return c, r },
		2: func(r, c int) (x, y int) { return width - 1 - c, r },
		3: func(r, c int) (x, y int) { return width - 1 - c, height - 1 - r },
		4: func(r, c int) (x, y int) { return c, height - 1 - r },
		5: func(r, c int) (x, y int) { return r, c },
		6: func(r, c int) (x, y int) { return width - 1 - r, c },
		7: func(r, c int) (x, y int) { return width - 1 - r, height - 1 - c },
		8: func(r, c int) (x, y int) { return r, height - 1 - c },
	}
	seen := quarters(width, height)
	for orientation, place := range stored {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			m := image.NewNRGBA(image.Rect(0, 0, width, height))
			if orientation >= 5 {
				m = image.NewNRGBA(image.Rect(0, 0, height, width))
			}
			for r := range m.Rect.Dy() {
				for c := range m.Rect.Dx() {
					m.Set(c, r, seen.At(place(r, c)))
				}
			}
			got, err := picture.Resize(t.Context(), file(t, insertOrientation(encodeJPEG(m), orientation, order)), 24, 24)
			if err != nil {
				t.Fatalf("orientation %d: %v", orientation, err)
			}
			if size := got.Bounds().Max; size != image.Pt(24, 16) {
				t.Errorf("orientation %d: got %v, want 24 x 16", orientation, size)
			}
			for _, left := range []bool{true, false} {
				for _, top := range []bool{true, false} {
					wantQuarter(t, got, left, top, quarter(left, top))
				}
			}
		}
	}
}

// Resizing keeps the mean of an image at any ratio.
func TestResize_averages(t *testing.T) {
	t.Parallel()
	m := image.NewNRGBA(image.Rect(0, 0, 512, 384))
	for y := range 384 {
		for x := range 512 {
			m.SetNRGBA(x, y, color.NRGBA{R: byte(255 * (x % 2)), G: byte(255 * (y % 2)), B: 100, A: byte(255 * (x / 256))})
		}
	}
	got, err := picture.Resize(t.Context(), file(t, encodePNG(m)), 20, 20)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[image.Point]color.NRGBA{{X: 15, Y: 7}: {R: 128, G: 128, B: 100, A: 255}, {X: 3, Y: 7}: {}} {
		c := color.NRGBAModel.Convert(got.At(at.X, at.Y)).(color.NRGBA)
		for _, pair := range [][2]byte{{c.R, want.R}, {c.G, want.G}, {c.B, want.B}, {c.A, want.A}} {
			if max(pair[0], pair[1])-min(pair[0], pair[1]) > 2 {
				t.Errorf("%v: got %v, want %v", at, c, want)
				break
			}
		}
	}
}

func TestResize_reads_WebP(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"lossy", "lossless", "alpha"} {
		m, err := picture.Resize(t.Context(), file(t, webp(kind)), 10, 10)
		if err != nil || m.Bounds() != image.Rect(0, 0, 1, 1) {
			t.Errorf("%s: got %v, %v, want one pixel", kind, m, err)
		}
	}
}

// pngOf returns a PNG with a size, a depth and interlacing, but without pixels.
func pngOf(width, height uint32, depth, interlaced byte) []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), width), height)
	header = append(header, depth, 6, 0, 0, interlaced)
	for _, chunk := range [][]byte{header, []byte("IDAT"), []byte("IEND")} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(chunk)-4))
		b = binary.BigEndian.AppendUint32(append(b, chunk...), crc32.ChecksumIEEE(chunk))
	}
	return b
}

// progressive returns a JPEG image of one grey block with many scans.
func progressive(scans int, width, height uint16) []byte {
	b := []byte{0xff, 0xd8, 0xff, 0xdb, 0, 67, 0}
	b = append(b, bytes.Repeat([]byte{1}, 64)...)
	b = append(b, 0xff, 0xc2, 0, 11, 8, byte(height>>8), byte(height), byte(width>>8), byte(width), 1, 1, 0x11, 0)
	b = append(b, 0xff, 0xc4, 0, 20, 0, 1) // one code, of one bit
	b = append(b, make([]byte, 16)...)
	for range scans {
		b = append(b, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0, 0x7f)
	}
	return append(b, 0xff, 0xd9)
}

func TestResize_refuses(t *testing.T) {
	t.Parallel()
	m := quarters(30, 20)
	large := bytes.Clone(webp("alpha"))
	copy(large[24:30], "\xff\xff\xff\xff\xff\xff")
	spoilt := encodeJPEG(m)
	spoilt[bytes.Index(spoilt, []byte{0xff, 0xc0})+4] = 99 // bits of a sample
	for name, test := range map[string]struct {
		content []byte
		reason  string
	}{
		"not an image":                   {[]byte("{}"), "not a JPEG, PNG, GIF or WebP"},
		"an animated WebP":               {webp("animation"), "animated"},
		"a PNG bomb":                     {pngOf(50_000, 50_000, 8, 0), "too large to be decoded: 50000 x 50000"},
		"a PNG bomb in depth":            {pngOf(9000, 9000, 16, 0), "too large"},
		"a PNG bomb in passes":           {pngOf(8000, 8000, 8, 1), "too large"},
		"a PNG as long as a line":        {pngOf(50_000_000, 1, 8, 0), "too large"},
		"a PNG beyond all bounds":        {pngOf(1<<31-1, 1<<31-1, 8, 0), "too large"},
		"a JPEG bomb":                    {progressive(1, 65_000, 65_000), "too large"},
		"a progressive JPEG bomb":        {progressive(1, 10_000, 9500), "too large"},
		"a progressive JPEG that drags":  {progressive(1500, 8, 8), "cannot be decoded"},
		"a WebP bomb":                    {large, "too large"},
		"a GIF bomb":                     {[]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x00"), "too large"},
		"a PNG without pixels":           {pngOf(10, 10, 8, 0), "cannot be decoded"},
		"a JPEG that is broken inside":   {spoilt, "cannot be decoded"},
		"a GIF whose picture is outside": {[]byte("GIF89a\x05\x00\x05\x00\x00\x00\x00,\x09\x00\x09\x00\xff\xff\xff\xff\x00\x02\x00"), "cannot be decoded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := picture.Resize(t.Context(), file(t, test.content), 100, 100)
			wantInputError(t, err, test.reason)
		})
	}
}

func TestResize_reads_progressive_images(t *testing.T) {
	t.Parallel()
	m, err := picture.Resize(t.Context(), file(t, progressive(10, 8, 8)), 100, 100)
	if err != nil || m.Bounds() != image.Rect(0, 0, 8, 8) {
		t.Errorf("got %v, %v, want 8 x 8 pixels", m, err)
	}
}

func TestResize_refuses_impossible_sizes(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{X: 0, Y: 1}, {X: 1, Y: -1}, {X: 2049, Y: 1}} {
		_, err := picture.Resize(t.Context(), file(t, encodePNG(quarters(2, 2))), size.X, size.Y)
		wantInputError(t, err, "A picture has 1 to 2048 pixels on each side")
	}
}

// flakyFile is a file whose n-th read fails.
type flakyFile struct {
	folder.File
	failAt, reads int
	err           error
}

var errStorage = errors.New("connection reset")

// ReadAt implements folder.File.
func (f *flakyFile) ReadAt(p []byte, offset int64) (int, error) {
	f.reads++
	if f.reads == f.failAt {
		return 0, f.err
	}
	return f.File.ReadAt(p, offset)
}

// A failing storage is not the user's fault, at any read.
func TestRead_errors_are_not_blamed_on_the_image(t *testing.T) {
	t.Parallel()
	for name, content := range images() {
		all := &flakyFile{File: file(t, content)}
		if _, err := picture.Resize(t.Context(), all, 10, 10); err != nil || all.reads < 2 {
			t.Fatalf("%s: got %v after %d reads, want nil after some", name, err, all.reads)
		}
		for failAt := 1; failAt <= all.reads; failAt++ {
			t.Run(fmt.Sprintf("%s, read %d", name, failAt), func(t *testing.T) {
				t.Parallel()
				_, err := picture.Resize(t.Context(), &flakyFile{File: file(t, content), failAt: failAt, err: errStorage}, 10, 10)
				if !errors.Is(err, errStorage) {
					t.Errorf("got %v, want it to wrap %v", err, errStorage)
				}
			})
		}
	}
}

func BenchmarkResize(b *testing.B) {
	content := encodeJPEG(quarters(4000, 3000))
	for b.Loop() {
		if _, err := picture.Resize(b.Context(), file(b, content), 640, 400); err != nil {
			b.Fatal(err)
		}
	}
}
