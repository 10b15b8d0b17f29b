package graph_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"portico/graph"
	"portico/model"
)

// pngOf returns a PNG that is red at the left, green in the middle and blue at the right.
func pngOf(t testing.TB, width, height int) []byte {
	t.Helper()
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	bands := []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}}
	for y := range height {
		for x := range width {
			picture.SetNRGBA(x, y, bands[x*3/width])
		}
	}
	return encodedPNG(t, picture)
}

func encodedPNG(t testing.TB, picture image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	check(t, png.Encode(&out, picture))
	return out.Bytes()
}

func jpegOf(t testing.TB, width, height int) []byte {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(pngOf(t, width, height)))
	check(t, err)
	var out bytes.Buffer
	check(t, jpeg.Encode(&out, picture, nil))
	return out.Bytes()
}

// claimed returns a PNG whose header claims another size.
func claimed(t testing.TB, width, height uint32) []byte {
	t.Helper()
	return resized(pngOf(t, 3, 3), width, height)
}

// resized changes the size that the header of a PNG claims.
func resized(sent []byte, width, height uint32) []byte {
	binary.BigEndian.PutUint32(sent[16:], width)
	binary.BigEndian.PutUint32(sent[20:], height)
	binary.BigEndian.PutUint32(sent[29:], crc32.ChecksumIEEE(sent[12:29]))
	return sent
}

func TestSquarePicture_is_a_JPEG_of_the_centre_and_nothing_else(t *testing.T) {
	t.Parallel()
	secret := []byte("the place where it was taken")
	for name, row := range map[string]struct {
		sent []byte
		size int
	}{
		"wide PNG":   {append(pngOf(t, 900, 300), secret...), 256},
		"wide JPEG":  {append(jpegOf(t, 900, 300), secret...), 256},
		"small PNG":  {pngOf(t, 90, 30), 30},
		"one pixel":  {pngOf(t, 1, 1), 1},
		"the widest": {pngOf(t, model.MaxAccountPictureSide, 1), 1},
	} {
		got, err := new(graph.Resolver).ShrunkPicture(t.Context(), "alice", row.sent)
		check(t, err)
		if bytes.Contains(got, secret) || bytes.Equal(got, row.sent) {
			t.Errorf("%s: got what was sent", name)
		}
		stored, err := jpeg.Decode(bytes.NewReader(got))
		check(t, err)
		equal(t, name, stored.Bounds(), image.Rect(0, 0, row.size, row.size))
		if row.size < 30 {
			continue
		}
		for _, x := range []int{2, row.size - 3} {
			if r, g, b, _ := stored.At(x, row.size/2).RGBA(); g < 0x8000 || r > 0x7000 || b > 0x7000 {
				t.Errorf("%s at %d: got %x %x %x, want the green centre", name, x, r, g, b)
			}
		}
	}
}

func TestSquarePicture_is_white_where_it_was_transparent(t *testing.T) {
	t.Parallel()
	got, err := new(graph.Resolver).ShrunkPicture(t.Context(), "alice", encodedPNG(t, image.NewNRGBA(image.Rect(0, 0, 64, 64))))
	check(t, err)
	stored, err := jpeg.Decode(bytes.NewReader(got))
	check(t, err)
	if r, g, b, _ := stored.At(32, 32).RGBA(); min(r, g, b) < 0xF000 {
		t.Errorf("got %x %x %x, want white", r, g, b)
	}
}

func TestSquarePicture_refuses(t *testing.T) {
	t.Parallel()
	whole, photo := pngOf(t, 300, 300), jpegOf(t, 300, 300)
	scans := bytes.Repeat([]byte{0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0}, graph.MaxScans+1)
	for name, row := range map[string]struct {
		sent []byte
		want string
	}{
		"nothing":                    {nil, "must be a PNG or a JPEG"},
		"text":                       {[]byte("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"), "must be a PNG or a JPEG"},
		"a GIF":                      {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), "must be a PNG or a JPEG"},
		"too many bytes":             {make([]byte, model.MaxAccountPictureBytes+1), "must have at most 524288 bytes"},
		"too wide":                   {claimed(t, model.MaxAccountPictureSide+1, 1), "must be from 1 to 2048 pixels wide and high"},
		"a bomb of pixels":           {claimed(t, 1<<30, 1<<30), "must be"},
		"more pixels than it claims": {claimed(t, 2, 2), "is damaged or incomplete"},
		"half a PNG":                 {whole[:len(whole)/2], "is damaged or incomplete"},
		"half a JPEG":                {photo[:len(photo)/2], "is damaged or incomplete"},
		"the start of a JPEG":        {photo[:2], "must be a PNG or a JPEG"},
		"thousands of scans":         {append(bytes.Clone(photo[:len(photo)-2]), scans...), "has too many scans"},
	} {
		_, err := new(graph.Resolver).ShrunkPicture(t.Context(), "alice", row.sent)
		if model.CodeOf(err) != model.CodeInvalid || !strings.Contains(err.Error(), "picture "+row.want) {
			t.Errorf("%s: got %v, want %q", name, err, row.want)
		}
	}
}

// jpegHeader returns the start of a JPEG of the largest size with this marker of its kind, and this
// number of components at the full resolution.
func jpegHeader(kind byte, components int, adobe bool) []byte {
	const side = model.MaxAccountPictureSide
	header := []byte{0xFF, 0xD8}
	if adobe { // the components are not luminance and colour (Adobe technical note 5116)
		header = append(header, 0xFF, 0xEE, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0)
	}
	header = append(header, 0xFF, kind, 0, byte(8+3*components), 8, side>>8, side&0xFF, side>>8, side&0xFF, byte(components))
	for i := range components {
		header = append(header, byte(i+1), 0x11, 0)
	}
	return append(header, 0xFF, 0xDA, 0, 2)
}

func TestHeaderOf_knows_the_memory_of_a_picture(t *testing.T) {
	t.Parallel()
	const baseline, progressive, side = 0xC0, 0xC2, model.MaxAccountPictureSide
	large := func(picture image.Image) []byte { return resized(encodedPNG(t, picture), side, side) }
	bounds := image.Rect(0, 0, 1, 1)
	for name, row := range map[string]struct {
		sent  []byte
		mib   int
		large bool
	}{
		"JPEG in grey":             {jpegHeader(baseline, 1, false), 4, false},
		"progressive JPEG in grey": {jpegHeader(progressive, 1, false), 20, false},
		"JPEG":                     {jpegHeader(baseline, 3, false), 12, false},
		"progressive JPEG":         {jpegHeader(progressive, 3, false), 60, true},
		"JPEG in RGB":              {jpegHeader(baseline, 3, true), 28, true},
		"progressive JPEG in RGB":  {jpegHeader(progressive, 3, true), 76, true},
		"JPEG in CMYK":             {jpegHeader(baseline, 4, true), 32, true},
		"progressive JPEG in CMYK": {jpegHeader(progressive, 4, true), 96, true},
		"PNG":                      {large(image.NewNRGBA(bounds)), 24, false},
		"PNG with 16 bits":         {large(image.NewNRGBA64(bounds)), 48, true},
		"grey PNG with 16 bits":    {large(image.NewGray16(bounds)), 48, true},
		"smaller progressive JPEG": {bytes.ReplaceAll(jpegOf(t, 1024, 1024), []byte{0xFF, 0xC0}, []byte{0xFF, 0xC2}), 15, false},
	} {
		memory, isLarge, err := graph.PictureMemory(row.sent)
		check(t, err)
		equal(t, name+": MiB", memory>>20, row.mib)
		equal(t, name+": large", isLarge, row.large)
	}
}
