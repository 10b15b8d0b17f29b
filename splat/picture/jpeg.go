package picture

import (
	"bytes"
	"encoding/binary"
)

// Markers of JPEG (ITU T.81, table B.1), the byte behind 0xff.
const (
	markerSOF0  = 0xc0 // start of a frame: 0xc0 to 0xcf but for the next three
	markerDHT   = 0xc4
	markerJPG   = 0xc8
	markerDAC   = 0xcc
	markerSOF2  = 0xc2 // of a progressive one
	markerSOF15 = 0xcf
	markerRST0  = 0xd0 // 0xd0 to 0xd7, and TEM, have no length
	markerRST7  = 0xd7
	markerTEM   = 0x01
	markerEOI   = 0xd9
	markerSOS   = 0xda // start of the scan
	markerAPP1  = 0xe1 // EXIF
)

// endBlock is how many bytes are searched for the end of an image at once.
const endBlock = 1 << 16

// jpeg walks over the segments up to the first scan, and looks for the end of the
// image behind it.
func (s *scanner) jpeg(h *header) error {
	at := int64(2)
	for range maxParts {
		var b [4]byte
		if err := s.read(b[:], at); err != nil {
			return err
		}
		marker := b[1]
		switch {
		case b[0] != 0xff:
			return s.damaged("a marker is missing")
		case marker == 0xff: // fills
			at++
			continue
		case marker == markerTEM || marker >= markerRST0 && marker <= markerRST7:
			at += 2
			continue
		case marker == markerSOS:
			return s.jpegEnd(at)
		case marker == markerEOI:
			return s.damaged("it has no picture")
		}
		size := int64(binary.BigEndian.Uint16(b[2:]))
		if err := s.jpegSegment(h, marker, at+4, size-2); err != nil {
			return err
		}
		at += 2 + size
	}
	return s.damaged("it has too many parts")
}

// jpegSegment reads the segments that matter here.
func (s *scanner) jpegSegment(h *header, marker byte, at, size int64) error {
	switch {
	case size < 0:
		return s.damaged("a part has no length")
	case marker == markerAPP1:
		b := make([]byte, size)
		if err := s.read(b, at); err != nil {
			return err
		}
		if o := orientation(b); o != 0 {
			h.orientation = o
		}
	case isFrame(marker):
		var b [6]byte
		if size < int64(len(b)) {
			return s.damaged("its header cannot be read")
		}
		if err := s.read(b[:], at); err != nil {
			return err
		}
		h.height, h.width = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:]))
		components := int64(b[5])
		h.pixelBytes = components
		if marker == markerSOF2 {
			h.progressive, h.pixelBytes = true, 5*components // 32 bits for each coefficient beside it
		}
	}
	return nil
}

// isFrame tells whether a marker begins a frame, of whatever coding.
func isFrame(marker byte) bool {
	return marker >= markerSOF0 && marker <= markerSOF15 && marker != markerDHT && marker != markerJPG && marker != markerDAC
}

// jpegEnd looks for the end of the image, from the end of the file back to the
// scan: inside of a scan, there is no such marker. Cameras put further data behind
// it, so that it need not be the last.
func (s *scanner) jpegEnd(scan int64) error {
	end := []byte{0xff, markerEOI}
	buffer := make([]byte, endBlock)
	for to := s.file.Size(); to > scan; {
		from := max(to-endBlock, scan)
		b := buffer[:to-from]
		if err := s.read(b, from); err != nil {
			return err
		}
		if bytes.Contains(b, end) {
			return nil
		}
		if from == scan {
			break
		}
		to = from + 1 // the marker may lie across the edge
	}
	return s.cutOff()
}

// orientation returns what an EXIF segment says of how the image is to be turned,
// 1 to 8, or 0 (EXIF 2.3, section 4.6: a TIFF file with the tag 0x112).
func orientation(b []byte) int {
	tiff, ok := bytes.CutPrefix(b, []byte("Exif\x00\x00"))
	if !ok || len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.LittleEndian
	if string(tiff[:2]) == "MM" {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 0
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		const entry, tag = 12, 0x112
		if len(entries) < entry {
			return 0
		}
		if order.Uint16(entries) == tag {
			if o := int(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
			return 0
		}
		entries = entries[entry:]
	}
	return 0
}
