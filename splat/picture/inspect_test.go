package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"portico/splat/input"
	"portico/splat/picture"
)

func TestInspect(t *testing.T) {
	t.Parallel()
	m := quarters(30, 20)
	for name, test := range map[string]struct {
		content       []byte
		format        string
		width, height int
	}{
		"JPEG":                          {encodeJPEG(m), "jpeg", 30, 20},
		"JPEG on its side":              {insertOrientation(encodeJPEG(m), 6, binary.LittleEndian), "jpeg", 20, 30},
		"JPEG upside down":              {insertOrientation(encodeJPEG(m), 3, binary.BigEndian), "jpeg", 30, 20},
		"JPEG with more behind it":      {append(encodeJPEG(m), make([]byte, 200_000)...), "jpeg", 30, 20},
		"JPEG with fills":               {bytes.Replace(encodeJPEG(m), []byte{0xff, 0xc0}, []byte{0xff, 0xff, 0xff, 0xc0}, 1), "jpeg", 30, 20},
		"JPEG of an impossible turn":    {insertOrientation(encodeJPEG(m), 9, binary.LittleEndian), "jpeg", 30, 20},
		"JPEG with EXIF that is broken": {segment(encodeJPEG(m), 0xe1, []byte("Exif\x00\x00II*\x00\xff\xff\xff\xff")), "jpeg", 30, 20},
		"JPEG with EXIF cut off":        {segment(encodeJPEG(m), 0xe1, []byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\x09\x00")), "jpeg", 30, 20},
		"JPEG with other metadata":      {segment(encodeJPEG(m), 0xe1, []byte("http://ns.adobe.com/xap/1.0/")), "jpeg", 30, 20},
		"PNG":                           {encodePNG(m), "png", 30, 20},
		"GIF":                           {encodeGIF(m), "gif", 30, 20},
		"lossy WebP":                    {webp("lossy"), "webp", 1, 1},
		"lossless WebP":                 {webp("lossless"), "webp", 1, 1},
		"WebP with alpha":               {webp("alpha"), "webp", 1, 1},
		"animated WebP":                 {webp("animation"), "webp", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			format, width, height, err := picture.Inspect(file(t, test.content))
			if err != nil || format != test.format || width != test.width || height != test.height {
				t.Errorf("got %q, %d x %d, %v, want %q, %d x %d", format, width, height, err, test.format, test.width, test.height)
			}
		})
	}
}

func TestInspect_refuses(t *testing.T) {
	t.Parallel()
	m := quarters(30, 20)
	edit := func(b []byte, at int, with ...byte) []byte {
		b = bytes.Clone(b)
		copy(b[at:], with)
		return b
	}
	endless := append([]byte("\xff\xd8"), bytes.Repeat([]byte{0xff, 0x01}, 200_000)...)
	for name, test := range map[string]struct {
		content []byte
		reason  string
	}{
		"an empty file":                 {nil, "not a JPEG, PNG, GIF or WebP"},
		"not an image":                  {[]byte("ply\nformat ascii 1.0\n"), "not a JPEG, PNG, GIF or WebP"},
		"a RIFF file of sound":          {[]byte("RIFF\x04\x00\x00\x00WAVEfmt "), "not a JPEG, PNG, GIF or WebP"},
		"a JPEG without a picture":      {[]byte("\xff\xd8\xff\xd9...."), "it has no picture"},
		"a JPEG of noise":               {append([]byte("\xff\xd8\xff\xe0\x00\x02"), "noise"...), "a marker is missing"},
		"a JPEG part without a length":  {[]byte("\xff\xd8\xff\xe0\x00\x01...."), "no length"},
		"a JPEG with a tiny header":     {[]byte("\xff\xd8\xff\xc0\x00\x04......."), "header cannot be read"},
		"a JPEG without a header":       {[]byte("\xff\xd8\xff\xda\x00\x02\xff\xd9"), "no size"},
		"a JPEG without an end":         {endless, "too many parts"},
		"a PNG without a header":        {edit(encodePNG(m), 12, 'I', 'D', 'A', 'T'), "does not begin with its header"},
		"a PNG of no width":             {edit(encodePNG(m), 16, 0, 0, 0, 0), "no size"},
		"a PNG of a negative height":    {edit(encodePNG(m), 20, 0xff), "no size"},
		"a PNG whose part is endless":   {edit(encodePNG(m), 33, 0xff, 0xff, 0xff, 0xff), "cut off"},
		"a PNG with parts without end":  {append(encodePNG(m)[:33], bytes.Repeat([]byte("\x00\x00\x00\x00abcd    "), 140_000)...), "too many parts"},
		"a GIF of no height":            {edit(encodeGIF(m), 8, 0, 0), "no size"},
		"a GIF without a picture":       {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), "no picture"},
		"a GIF with an unknown block":   {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00?"), "unknown type"},
		"a GIF with blocks without end": {append([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00"), bytes.Repeat([]byte("!\xfe\x00"), 140_000)...), "too many parts"},
		"a WebP of another kind":        {edit(webp("lossy"), 12, 'X', 'X'), "header cannot be read"},
		"a lossy WebP without its mark": {edit(webp("lossy"), 23, 0), "header cannot be read"},
		"a lossless WebP without it":    {edit(webp("lossless"), 20, 0), "header cannot be read"},
		"a lossy WebP of no size":       {edit(webp("lossy"), 26, 0, 0), "no size"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, _, err := picture.Inspect(file(t, test.content))
			wantInputError(t, err, test.reason)
		})
	}
}

func TestInspect_reports_every_truncation(t *testing.T) {
	t.Parallel()
	for name, content := range images() {
		end := len(content)
		if name == "gif" {
			end = bytes.LastIndexByte(content[:len(content)-1], 0x2c) // only the first picture is read
			end = bytes.LastIndex(content[:end], []byte{0x21, 0xf9})
		}
		for n := range end {
			_, _, _, err := picture.Inspect(file(t, content[:n]))
			if _, ok := errors.AsType[*input.Error](err); !ok {
				t.Errorf("%s, first %d of %d bytes: got %v, want an input.Error", name, n, len(content), err)
			}
		}
	}
}
