package vp8l_test

import (
	"testing"

	"portico/splat/vp8l"
)

func TestEncode_is_small(t *testing.T) {
	t.Parallel()
	textures := map[string]picture{}
	for _, c := range capture(256) {
		textures[c.name] = c.picture
	}
	const pixels = 256 * 256
	for _, test := range []struct {
		name string
		picture
		want int // bytes, at most
	}{
		{"for one colour", constant(2000, 1000, [4]byte{1, 2, 3, 4}), 150},
		{"for a ramp", ramp(256, 256), pixels / 100},
		{"for noise", noise(256, 256), pixels*4 + 500},
		{"for noise in two colours", colours(256, 256, 2), pixels/8 + 500},
		{"for noise in four colours", colours(256, 256, 4), pixels/4 + 500},
		{"for noise in 16 colours", colours(256, 256, 16), pixels/2 + 500},
		{"for noise in 256 colours", colours(256, 256, 256), pixels + 2000},
		{"for noise that repeats", repeatingPicture(256, 256, 10000), 41000},
		{"for low bytes", textures["means_l"], libwebp(195230)},
		{"for high bytes", textures["means_u"], libwebp(61126)},
		{"for rotations", textures["quats"], libwebp(188264)},
		{"for scales", textures["scales"], libwebp(157378)},
		{"for colours", textures["sh0"], libwebp(216438)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := len(encode(t, new(vp8l.Encoder), test.picture)); got > test.want {
				t.Errorf("got %d bytes, want at most %d", got, test.want)
			}
		})
	}
}

// libwebp returns the size limit for a picture of which cwebp 1.2.4 with the options
// -lossless -exact -q 70 -m 4 makes a file of size bytes: 1 % more.
func libwebp(size int) int { return size + size/100 }

// Being quick costs 6 % where colours repeat, and nothing in noise.
func TestEncoder_that_is_quick_is_small(t *testing.T) {
	t.Parallel()
	for _, c := range capture(256) {
		limit := len(encode(t, new(vp8l.Encoder), c.picture))
		limit += limit / 200
		if c.name == "means_u" {
			limit += limit / 17
		}
		if got := len(encode(t, quickEncoder(), c.picture)); got > limit {
			t.Errorf("%s: got %d bytes, want at most %d", c.name, got, limit)
		}
	}
}
