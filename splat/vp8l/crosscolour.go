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

// fromPixel returns the multipliers of a pixel.
func fromPixel(p uint32) multipliers {
	return multipliers{greenToRed: int8(p), greenToBlue: int8(p >> 8), redToBlue: int8(p >> 16)}
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
	// crossBits is the size of a tile that shares its multipliers, as the
	// exponent of its side.
	crossBits = 5
	// crossSample is about how many pixels are looked at to find the image's
	// multipliers.
	crossSample = 1 << 14
	// crossGain is how many bits a pixel they have to save.
	crossGain = 0.01
	// crossStep is how far the multipliers of a tile may lie from the image's.
	crossStep = 12
)

// crossChoice finds multipliers for each tile of an image. The zero value is
// ready.
type crossChoice struct {
	tiles     []uint32 // as pixels of the colour transform's image
	histogram [256]uint32
	costs     [3][256]uint32 // of what is left of the channel, for each multiplier
}

// choose sets tiles, or reports that no multipliers are worth their place.
func (x *crossChoice) choose(pixels []uint32, width, height int) bool {
	image, gain := x.best(pixels)
	if gain < crossGain {
		return false
	}
	across, down := tiles(width, crossBits), tiles(height, crossBits)
	x.tiles = resize(x.tiles, across*down)
	for ty := range down {
		rows := pixels[ty<<crossBits*width : min((ty+1)<<crossBits, height)*width]
		for tx := range across {
			x.tiles[ty*across+tx] = x.tile(rows, width, tx<<crossBits, image).pixel()
		}
	}
	return true
}

// best returns the multipliers that leave the least entropy in a sample of the
// image and how many bits a pixel they save, and sets the costs to what they leave.
func (x *crossChoice) best(pixels []uint32) (m multipliers, gain float64) {
	// An odd step sees all columns of an image of even width.
	step := len(pixels)/crossSample | 1
	for k := range m {
		start := x.entropy(pixels, step, m, k)
		least := start
		tried := m
		for _, tried[k] = range [...]int8{-32, -24, -16, -8, 8, 16, 24, 32, 40, 48} {
			if bits := x.entropy(pixels, step, tried, k); bits < least {
				least, m[k] = bits, tried[k]
			}
		}
		gain += start - least
	}
	for k := range m {
		x.entropy(pixels, step, m, k)
		costs(x.costs[k][:], x.histogram[:])
	}
	return m, gain * float64(step) / float64(len(pixels))
}

// entropy returns that of what is left of a channel in every step-th pixel, and
// sets histogram to it.
func (x *crossChoice) entropy(pixels []uint32, step int, m multipliers, k int) float64 {
	clear(x.histogram[:])
	for i := 0; i < len(pixels); i += step {
		x.histogram[m.rest(k, pixels[i])]++
	}
	bits, _ := entropy(x.histogram[:])
	return bits
}

// tile returns the best multipliers for the tile whose rows and first column are
// given: those of the image, or near, or none.
func (x *crossChoice) tile(rows []uint32, width, left int, m multipliers) multipliers {
	right := min(left+(1<<crossBits), width)
	for k, image := range m {
		least := uint32(1<<32 - 1)
		tried := m
		for _, tried[k] = range [...]int8{image, 0, image - crossStep, image + crossStep} {
			sum := uint32(0)
			for y := 0; y < len(rows)/width; y += 2 { // half of the rows tell enough
				for _, c := range rows[y*width+left : y*width+right] {
					sum += x.costs[k][tried.rest(k, c)]
				}
			}
			if sum < least {
				least, m[k] = sum, tried[k]
			}
		}
	}
	return m
}

// apply takes the shares from an image in place.
func (x *crossChoice) apply(pixels []uint32, width, height int) {
	across := tiles(width, crossBits)
	for y := range height {
		row := pixels[y*width : (y+1)*width]
		for tx, p := range x.tiles[y>>crossBits*across:][:across] {
			m := fromPixel(p)
			segment := row[tx<<crossBits : min((tx+1)<<crossBits, width)]
			for i, c := range segment {
				segment[i] = c&0xff00ff00 | m.red(c)<<16 | m.blue(c)
			}
		}
	}
}
