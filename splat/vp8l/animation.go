package vp8l

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"time"
)

// Animation collects the frames of an animated WebP file, which repeats for ever. Frames
// are kept encoded.
type Animation struct {
	width, height int
	encoder       Encoder
	frames        []byte
}

// NewAnimation returns an animation without frames.
func NewAnimation(width, height int) *Animation { return &Animation{width: width, height: height} }

// The sizes of chunks (RFC 9649, sections 2.3 and 2.7), in bytes.
const (
	riffHeader  = 12 // "RIFF", its size and "WEBP"
	chunkHeader = 8
	frameHeader = 16
)

// Add appends a frame, whose pixels are as for Encode, and which is shown for a time.
//
// A frame is a chunk (RFC 9649, section 2.7.1.1):
//
//	"ANMF", and the size of what follows
//	u24  x / 2, zero
//	u24  y / 2, zero
//	u24  width - 1
//	u24  height - 1
//	u24  time in milliseconds
//	u8   bit 1: do not blend with the frame before
//	…    a chunk "VP8L"
func (a *Animation) Add(pixels []byte, shown time.Duration) error {
	var image bytes.Buffer
	if err := a.encoder.Encode(&image, pixels, a.width, a.height); err != nil {
		return err
	}
	content := image.Bytes()[riffHeader:] // one chunk
	a.frames = append(a.frames, "ANMF"...)
	a.frames = binary.LittleEndian.AppendUint32(a.frames, uint32(frameHeader+len(content)))
	a.frames = append24(a.frames, 0, 0, a.width-1, a.height-1, int(shown.Milliseconds()))
	const replaceAll = 1 << 1 // no blending with the frame before
	a.frames = append(append(a.frames, replaceAll), content...)
	return nil
}

// WriteTo implements io.WriterTo. It writes the file in two calls.
//
// The file up to the frames:
//
//	"RIFF", the size of the rest, "WEBP"
//	"VP8X", 10: flags in 4 bytes, width - 1 and height - 1 in 3 each
//	"ANIM", 6: the background in 4 bytes, and the number of repetitions in 2, where 0 is for ever
func (a *Animation) WriteTo(w io.Writer) (int64, error) {
	const animated, extendedSize, animationSize = 1 << 1, 10, 6
	le := binary.LittleEndian
	header := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X"), extendedSize, 0, 0, 0, animated, 0, 0, 0)
	header = append24(header, a.width-1, a.height-1)
	header = append(header, "ANIM"...)
	// The background is transparent, and the frames repeat for ever.
	header = append(header, animationSize, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	le.PutUint32(header[4:], uint32(len(header)+len(a.frames)-chunkHeader))
	n, err := w.Write(header)
	if err != nil {
		return int64(n), fmt.Errorf("write animation: %w", err)
	}
	m, err := w.Write(a.frames)
	if err != nil {
		err = fmt.Errorf("write animation: %w", err)
	}
	return int64(n + m), err
}

func append24(b []byte, numbers ...int) []byte {
	for _, n := range numbers {
		b = append(b, byte(n), byte(n>>8), byte(n>>16))
	}
	return b
}
