package vp8l_test

import (
	"testing"

	"portico/splat/vp8l"
)

func FuzzEncode(f *testing.F) {
	f.Add(uint8(0), uint8(0), []byte{1, 2, 3, 4})
	f.Add(uint8(7), uint8(3), noise(7, 3).pixels)
	f.Add(uint8(20), uint8(2), colours(20, 20, 5).pixels)
	f.Add(uint8(60), uint8(1), repeatingPicture(60, 10, 33).pixels)
	f.Add(uint8(200), uint8(0), ramp(50, 50).pixels)
	f.Fuzz(func(t *testing.T, width, kind uint8, data []byte) {
		p := stretch(int(width)+1, kind, data)
		if p.height == 0 {
			return
		}
		checkDecodes(t, encode(t, new(vp8l.Encoder), p), p)
		checkDecodes(t, encode(t, quickEncoder(), p), p)
	})
}

// stretch makes a picture from the few bytes of a fuzzer. It repeats them as pixels, or takes each
// as a shade of grey or as a small difference.
func stretch(width int, kind uint8, data []byte) picture {
	if len(data) < 4 {
		return picture{}
	}
	n := len(data) * (int(kind>>4) + 1)
	height := min(n/4, 1<<14) / width
	at := 0
	var last [4]byte
	return draw(width, height, func(_, _ int) [4]byte {
		c := [4]byte{data[at%len(data)], data[(at+1)%len(data)], data[(at+2)%len(data)], data[(at+3)%len(data)]}
		switch kind & 3 {
		case 0:
			at += 4
		case 1:
			at++
			c = [4]byte{c[0] & 3, c[0] & 3, 0, 255}
		case 2:
			at++
			c = [4]byte{last[0] + c[0]&3, last[1] - c[0]>>6, last[2], last[3]}
		default:
			at += 3
		}
		last = c
		return c
	})
}
