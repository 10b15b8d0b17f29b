package ksplat

import (
	"encoding/binary"

	"portico/splat/folder"
	"portico/splat/input"
)

// newDecoder reads the buckets of a section whose data starts at the offset, and returns
// the decoder of its records.
//
// With buckets of 256, two full ones, and partial ones of 100 and 30 Gaussians, the ends are 612
// and 642. Gaussian 600 is in the first partial bucket, because its number is below 612, and at or
// above 512.
func newDecoder(file folder.File, h *header, s section, offset int64, name string) (*decoder, error) {
	d := &decoder{layout: &layouts[h.level], header: h, section: s}
	if h.level == 0 {
		return d, nil
	}
	b := make([]byte, 4*s.partial+s.bucketBytes*s.buckets)
	if err := folder.ReadFull(file, b, offset); err != nil {
		return nil, err
	}
	// Full buckets come first, so the end of each partial bucket is a running sum. The sum has 64
	// bits, because hostile counts would overflow 32.
	end := s.full * s.bucketSize
	for i := range s.partial {
		end += int64(binary.LittleEndian.Uint32(b[4*i:]))
		d.ends = append(d.ends, end)
	}
	if end < s.splats {
		return nil, input.Damaged(name, "the buckets of a section have %d of its %d Gaussians", end, s.splats)
	}
	b = b[4*s.partial:]
	for i := range 3 * s.buckets {
		d.centres = append(d.centres, float32At(b[4*i:]))
	}
	return d, nil
}
