package picture

import (
	"bytes"
	"encoding/binary"
)

// JPEG markers (ITU T.81, table B.1): the byte after 0xff.
const (
	markerSOF0  = 0xc0 // start of frame: 0xc0 to 0xcf except DHT, JPG and DAC
	markerDHT   = 0xc4
	markerJPG   = 0xc8
	markerDAC   = 0xcc
	markerSOF2  = 0xc2 // start of a progressive frame
	markerSOF15 = 0xcf
	markerRST0  = 0xd0 // 0xd0 to 0xd7, and TEM, have no length
	markerRST7  = 0xd7
	markerTEM   = 0x01
	markerEOI   = 0xd9
	markerSOS   = 0xda // start of scan
	markerAPP1  = 0xe1 // EXIF
)

// endBlock is the number of bytes that are searched for the end marker at a time.
const endBlock = 1 << 16

// readJPEG reads the segments up to the first scan, and looks for the end marker after it.
//
// A segment is 0xff, its marker, its size in 2 bytes, which includes these 2, and its content. Some
// markers stand alone, and any number of 0xff may precede a marker.
func (s *scanner) readJPEG(h *header) error {
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
		case marker == 0xff: // fill byte
			at++
			continue
		case marker == markerTEM || marker >= markerRST0 && marker <= markerRST7:
			at += 2
			continue
		case marker == markerSOS:
			return s.findJPEGEnd(at)
		case marker == markerEOI:
			return s.damaged("it has no picture")
		}
		size := int64(binary.BigEndian.Uint16(b[2:]))
		if err := s.readJPEGSegment(h, marker, at+4, size-2); err != nil {
			return err
		}
		at += 2 + size
	}
	return s.damaged("it has too many parts")
}

// readJPEGSegment reads a segment if it contains the orientation or the size.
//
// The start of a frame's content:
//
//	0  u8   bits of a sample
//	1  u16  height
//	3  u16  width
//	5  u8   number of components
func (s *scanner) readJPEGSegment(h *header, marker byte, at, size int64) error {
	switch {
	case size < 0:
		return s.damaged("a part has no length")
	case marker == markerAPP1:
		b := make([]byte, size)
		if err := s.read(b, at); err != nil {
			return err
		}
		// A photograph may have several such segments. One of them contains the orientation.
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
			h.progressive, h.pixelBytes = true, 5*components // plus 32 bits for each coefficient
		}
	}
	return nil
}

// isFrame reports whether a marker starts a frame of any coding.
func isFrame(marker byte) bool {
	return marker >= markerSOF0 && marker <= markerSOF15 && marker != markerDHT && marker != markerJPG && marker != markerDAC
}

// findJPEGEnd looks for the end marker between the scan and the end of the file. The marker cannot
// occur inside a scan, because a zero byte follows each 0xff there. It need not be at the end
// of the file, because cameras append data. The search is backwards, since the marker is
// usually near the end.
func (s *scanner) findJPEGEnd(scan int64) error {
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
		to = from + 1 // the marker may cross the edge of two blocks
	}
	return s.truncated()
}

// orientation returns the orientation from an EXIF segment, 1 to 8, or 0 if it has none
// (EXIF 2.3, section 4.6: tag 0x112 of a TIFF structure).
//
// The structure, whose offsets count from "II" or "MM":
//
//	"Exif", 2 zero bytes
//	0  2 bytes  "II" for little endian, "MM" for big endian
//	2  u16      42
//	4  u32      offset of the directory
//	the directory:
//	0  u16      number of entries
//	each entry:
//	0  u16      tag
//	2  u16      type
//	4  u32      count
//	8           the value
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
