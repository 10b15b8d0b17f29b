package picture

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"portico/splat/folder"
	"portico/splat/input"
)

// Formats of images, as Inspect returns them.
const (
	formatJPEG = "jpeg"
	formatPNG  = "png"
	formatGIF  = "gif"
	formatWebP = "webp"
)

// maxParts is the maximum number of segments or chunks of an image. A PNG of a gigabyte has
// this many chunks of the usual eight kilobytes.
const maxParts = 1 << 17

// header contains the facts about an image that are known without decoding it.
type header struct {
	format        string
	width, height int // as stored, before applying orientation
	// orientation is the EXIF orientation, 1 to 8. 1 means that the image is displayed as stored.
	orientation int
	// pixelBytes is the memory that decoding takes for each pixel, in bytes.
	pixelBytes int64
	// progressive reports whether a JPEG has several scans.
	progressive bool
	// animated reports whether a WebP image is an animation, which the decoder
	// does not support.
	animated bool
}

// Inspect returns the format of an image, "jpeg", "png", "gif" or "webp", and its size in
// pixels as it is displayed, after applying the EXIF orientation. It reads only headers and end
// markers. A truncated image, an image without a size, and a file of another type are
// *input.Errors.
func Inspect(file folder.File) (format string, width, height int, err error) {
	h, err := inspect(file)
	if err != nil {
		return "", 0, 0, err
	}
	if h.swapsSides() {
		return h.format, h.height, h.width, nil
	}
	return h.format, h.width, h.height, nil
}

// swapsSides reports whether the EXIF orientation swaps width and height, as the values 5 to
// 8 do (TIFF 6.0, tag 274).
func (h header) swapsSides() bool { return h.orientation >= 5 }

// inspect is Inspect with all facts that decoding needs.
func inspect(file folder.File) (header, error) {
	r := &scanner{file: file, format: "image"}
	start := make([]byte, min(12, file.Size()))
	if err := r.read(start, 0); err != nil {
		return header{}, err
	}
	h := header{orientation: 1}
	var err error
	switch {
	case bytes.HasPrefix(start, []byte("\xff\xd8\xff")):
		h.format, r.format = formatJPEG, "JPEG image"
		err = r.readJPEG(&h)
	case bytes.HasPrefix(start, []byte("\x89PNG\r\n\x1a\n")):
		h.format, r.format = formatPNG, "PNG image"
		err = r.readPNG(&h)
	case bytes.HasPrefix(start, []byte("GIF87a")), bytes.HasPrefix(start, []byte("GIF89a")):
		h.format, r.format = formatGIF, "GIF image"
		err = r.readGIF(&h)
	case len(start) == 12 && string(start[:4]) == "RIFF" && string(start[8:]) == "WEBP":
		h.format, r.format = formatWebP, "WebP image"
		err = r.webp(&h)
	default:
		return header{}, inputErrorf("The file is not a JPEG, PNG, GIF or WebP image")
	}
	// Resizing divides by the size, and no program can show such an image.
	if err == nil && (h.width <= 0 || h.height <= 0) {
		err = r.damaged("it has no size")
	}
	return h, err
}

// inputErrorf returns an *input.Error about the user's image.
func inputErrorf(format string, args ...any) error {
	return &input.Error{Message: fmt.Sprintf(format, args...)}
}

// scanner reads the structure of an image file.
type scanner struct {
	file   folder.File
	format string // for messages
}

func (s *scanner) damaged(why string) error {
	return inputErrorf("The %s is damaged: %s", s.format, why)
}

// truncated returns the error for a file that ends too early.
func (s *scanner) truncated() error { return s.damaged("it is cut off") }

// read fills p from offset at. If the file is too short, it returns an *input.Error.
func (s *scanner) read(p []byte, at int64) error {
	if at < 0 || at > s.file.Size()-int64(len(p)) {
		return s.truncated()
	}
	if err := folder.ReadFull(s.file, p, at); err != nil {
		return fmt.Errorf("read image: %w", err)
	}
	return nil
}

// readPNG reads the chunks (PNG specification, section 5). IHDR must be the first, and IEND
// must exist.
//
// A chunk is
//
//	u32  size of the body
//	4    name
//	…    body
//	u32  checksum of name and body, which is not verified here
//
// Most of the bytes are skipped, so a large file takes a read for each chunk.
func (s *scanner) readPNG(h *header) error {
	const ihdr, ihdrSize = 8, 13
	at := int64(ihdr)
	for part := range maxParts {
		var b [8 + ihdrSize]byte
		if err := s.read(b[:8], at); err != nil {
			return err
		}
		size, name := binary.BigEndian.Uint32(b[:]), string(b[4:8])
		switch {
		case part == 0 && (name != "IHDR" || size != ihdrSize):
			return s.damaged("it does not begin with its header")
		case part == 0:
			if err := s.read(b[:], at); err != nil {
				return err
			}
			s.readPNGHeader(h, b[8:])
		case name == "IEND":
			return s.read(make([]byte, 4), at+8) // the checksum must exist
		}
		at += 12 + int64(size)
	}
	return s.damaged("it has too many parts")
}

// readPNGHeader reads the size and the depth from the body of IHDR. A size above 31 bits is
// invalid; it becomes negative, and inspect refuses it.
//
//	 0  u32  width
//	 4  u32  height
//	 8  u8   bits of a channel
//	 9  u8   kind of colours
//	10  u8   compression, 0
//	11  u8   filters, 0
//	12  u8   1 if interlaced
func (s *scanner) readPNGHeader(h *header, b []byte) {
	h.width = int(int32(binary.BigEndian.Uint32(b)))
	h.height = int(int32(binary.BigEndian.Uint32(b[4:])))
	h.pixelBytes = 4
	if depth := b[8]; depth == 16 {
		h.pixelBytes = 8
	}
	if interlaced := b[12] != 0; interlaced {
		h.pixelBytes *= 2 // the decoder has both a pass and the whole image in memory
	}
}

// webp reads the first chunk, which is one of three kinds of headers (RFC 9649, section
// 2). The file must be as long as its RIFF header says.
//
// The offsets from the start of the file:
//
//	"VP8X"    20 flags, 24 width - 1 and 27 height - 1, in 3 bytes each
//	"VP8L"    20 signature, 21 width - 1 and height - 1, in 14 bits each
//	"VP8 "    23 start code, 26 width and 28 height, in the lower 14 bits of 2 bytes each
func (s *scanner) webp(h *header) error {
	var b [30]byte
	if err := s.read(b[:], 0); err != nil {
		return err
	}
	if 8+int64(binary.LittleEndian.Uint32(b[4:])) > s.file.Size() {
		return s.truncated()
	}
	h.pixelBytes = 8 // the decoder of lossless images has two copies in memory
	switch name := string(b[12:16]); name {
	case "VP8X":
		const animation = 1 << 1
		h.animated = b[20]&animation != 0
		h.width = 1 + int(b[24]) + int(b[25])<<8 + int(b[26])<<16
		h.height = 1 + int(b[27]) + int(b[28])<<8 + int(b[29])<<16
	case "VP8L":
		if b[20] != 0x2f {
			return s.damaged("its header cannot be read")
		}
		bits := binary.LittleEndian.Uint32(b[21:])
		h.width, h.height = 1+int(bits&(1<<14-1)), 1+int(bits>>14&(1<<14-1))
	case "VP8 ":
		if string(b[23:26]) != "\x9d\x01\x2a" {
			return s.damaged("its header cannot be read")
		}
		h.width = int(binary.LittleEndian.Uint16(b[26:]) & (1<<14 - 1))
		h.height = int(binary.LittleEndian.Uint16(b[28:]) & (1<<14 - 1))
	default:
		return s.damaged("its header cannot be read")
	}
	return nil
}
