package vp8l

// subtractGreen takes the green of each pixel from its red and blue (RFC 9649,
// section 3.5.3).
func subtractGreen(pixels []uint32) {
	for i, c := range pixels {
		green := c >> 8 & 255
		pixels[i] = subtract(c, green<<16|green)
	}
}

// multipliers say how much of one channel is in another, in 32nds (RFC 9649,
// section 3.5.2).
type multipliers [3]int8

const (
	greenToRed = iota
	greenToBlue
	redToBlue
)

// pixel returns the multipliers as a pixel of the colour transform's image.
func (m multipliers) pixel() uint32 {
	return opaqueBlack | uint32(uint8(m[redToBlue]))<<16 | uint32(uint8(m[greenToBlue]))<<8 | uint32(uint8(m[greenToRed]))
}

// share returns what a multiplier makes of the lowest byte of channel.
func share(multiplier int8, channel uint32) uint32 {
	return uint32(int32(multiplier) * int32(int8(channel)) >> 5)
}

// red returns the red of a pixel without its share of green.
func (m multipliers) red(c uint32) uint32 {
	return (c>>16 - share(m[greenToRed], c>>8)) & 255
}

// blue returns the blue of a pixel without its shares of green and red.
func (m multipliers) blue(c uint32) uint32 {
	return (c - share(m[greenToBlue], c>>8) - share(m[redToBlue], c>>16)) & 255
}

// rest returns what is left of the channel that the k-th multiplier changes.
func (m multipliers) rest(k int, c uint32) uint32 {
	if k == greenToRed {
		return m.red(c)
	}
	return m.blue(c)
}

const (
	// crossSample is about how many pixels are looked at to find an image's
	// multipliers.
	crossSample = 1 << 12
	// crossGain is how many bits a pixel they have to save.
	crossGain = 0.01
)

// crossChoice finds the multipliers of an image: like the predictor, the same for
// all of it. The zero value is ready.
type crossChoice struct {
	multipliers
	histogram [256]uint32
}

// choose sets the multipliers to those that leave the least entropy in a sample of
// the image, or reports that none are worth their place.
func (x *crossChoice) choose(pixels []uint32) bool {
	// An odd step sees all columns of an image of even width.
	step := len(pixels)/crossSample | 1
	gain := 0.0
	x.multipliers = multipliers{}
	for k := range x.multipliers {
		start := x.entropy(pixels, step, x.multipliers, k)
		least := start
		tried := x.multipliers
		for _, tried[k] = range [...]int8{-32, -24, -16, -8, 8, 16, 24, 32, 40, 48} {
			if bits := x.entropy(pixels, step, tried, k); bits < least {
				least, x.multipliers[k] = bits, tried[k]
			}
		}
		gain += start - least
	}
	return gain*float64(step) >= crossGain*float64(len(pixels))
}

// entropy returns that of what is left of a channel in every step-th pixel.
func (x *crossChoice) entropy(pixels []uint32, step int, m multipliers, k int) float64 {
	clear(x.histogram[:])
	for i := 0; i < len(pixels); i += step {
		x.histogram[m.rest(k, pixels[i])]++
	}
	bits, _ := entropy(x.histogram[:])
	return bits
}

// apply takes the shares from an image in place.
func (x *crossChoice) apply(pixels []uint32) {
	m := x.multipliers
	for i, c := range pixels {
		pixels[i] = c&0xff00ff00 | m.red(c)<<16 | m.blue(c)
	}
}
