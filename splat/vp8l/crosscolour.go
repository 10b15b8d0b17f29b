package vp8l

// subtractGreen subtracts each pixel's green from its red and blue, in place (RFC
// 9649, section 3.5.3).
func subtractGreen(pixels []uint32) {
	for i, c := range pixels {
		green := c >> 8 & 255
		pixels[i] = subtract(c, green<<16|green)
	}
}

// multipliers are the parameters of the colour transform: the shares of one channel
// that are subtracted from another, in 32nds (RFC 9649, section 3.5.2).
//
// The names say what is subtracted from what. A decoder adds the shares again, the share of red
// after red itself is restored:
//
//	red  -= greenToRed of green
//	blue -= greenToBlue of green, and redToBlue of the red before its change
type multipliers [3]int8

const (
	greenToRed = iota
	greenToBlue
	redToBlue
)

// pixel returns the multipliers as a pixel of the transform's parameter image.
func (m multipliers) pixel() uint32 {
	return opaqueBlack | uint32(uint8(m[redToBlue]))<<16 | uint32(uint8(m[greenToBlue]))<<8 | uint32(uint8(m[greenToRed]))
}

// colourDelta returns a multiplier's share of the lowest byte of channel, taken as
// a signed number: the format's ColorTransformDelta.
func colourDelta(multiplier int8, channel uint32) uint32 {
	return uint32(int32(multiplier) * int32(int8(channel)) >> 5)
}

// red returns the red of a pixel without its share of green.
func (m multipliers) red(c uint32) uint32 {
	return (c>>16 - colourDelta(m[greenToRed], c>>8)) & 255
}

// blue returns the blue of a pixel without its shares of green and red.
func (m multipliers) blue(c uint32) uint32 {
	return (c - colourDelta(m[greenToBlue], c>>8) - colourDelta(m[redToBlue], c>>16)) & 255
}

// residual returns the transformed value of the channel that multiplier k changes.
func (m multipliers) residual(k int, c uint32) uint32 {
	if k == greenToRed {
		return m.red(c)
	}
	return m.blue(c)
}

const (
	// multiplierSample is the approximate number of pixels on which multipliers
	// are tried.
	multiplierSample = 1 << 12
	// minMultiplierGain is the number of bits per pixel that multipliers must
	// save to pay for their place in the file.
	minMultiplierGain = 0.01
)

// multiplierChoice finds one set of multipliers for an image, as predictorChoice
// finds one predictor. The zero value is ready to use.
type multiplierChoice struct {
	multipliers
	histogram [256]uint32
}

// choose sets the multipliers, one after another, to the values with the lowest
// entropy in a sample of the image. It reports whether they save enough.
func (x *multiplierChoice) choose(pixels []uint32) bool {
	// An odd step reaches all columns of an image of even width.
	step := len(pixels)/multiplierSample | 1
	gain := 0.0
	x.multipliers = multipliers{}
	for k := range x.multipliers {
		start := x.residualEntropy(pixels, step, x.multipliers, k)
		minBits := start
		tried := x.multipliers
		for _, tried[k] = range [...]int8{-32, -24, -16, -8, 8, 16, 24, 32, 40, 48} {
			if bits := x.residualEntropy(pixels, step, tried, k); bits < minBits {
				minBits, x.multipliers[k] = bits, tried[k]
			}
		}
		gain += start - minBits
	}
	return gain*float64(step) >= minMultiplierGain*float64(len(pixels))
}

// residualEntropy returns the entropy of every step-th pixel in the channel that
// multiplier k changes.
func (x *multiplierChoice) residualEntropy(pixels []uint32, step int, m multipliers, k int) float64 {
	clear(x.histogram[:])
	for i := 0; i < len(pixels); i += step {
		x.histogram[m.residual(k, pixels[i])]++
	}
	bits, _ := entropy(x.histogram[:])
	return bits
}

// apply transforms an image in place.
func (x *multiplierChoice) apply(pixels []uint32) {
	m := x.multipliers
	for i, c := range pixels {
		pixels[i] = c&0xff00ff00 | m.red(c)<<16 | m.blue(c)
	}
}
