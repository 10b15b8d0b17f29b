package vp8l

// rankedPixels is how many pixels are looked at to find a predictor.
const rankedPixels = 1 << 12

// predictChoice finds the predictor of an image. The format lets each tile have its
// own, but in the textures of captures, whose pixels are all sorted the same way,
// that gained nothing. The zero value is ready.
type predictChoice struct {
	mode      int             // the number of the predictor
	histogram [4 * 256]uint32 // of what one leaves in the sample
}

// choose sets mode to the predictor that leaves the least entropy in a sample of
// the rows.
func (p *predictChoice) choose(pixels []uint32, width, height int) {
	p.mode = 0
	if width < 2 || height < 2 {
		return // the borders have predictors of their own
	}
	least := 0.0
	for mode := range predictors {
		if bits := p.entropy(mode, pixels, width, height); mode == 0 || bits < least {
			least, p.mode = bits, mode
		}
	}
}

// entropy returns that of what a predictor leaves in the sample, channel by
// channel.
func (p *predictChoice) entropy(mode int, pixels []uint32, width, height int) (bits float64) {
	f, h := predictors[mode], &p.histogram
	clear(h[:])
	// Whole rows, step apart: predictors need neighbours, and rows are quick to read.
	step := max(1, width*height/rankedPixels)
	for y := 1; y < height; y += step {
		for i := y*width + 1; i < (y+1)*width; i++ {
			r := subtract(pixels[i], f(pixels[i-1], pixels[i-width], pixels[i-width-1], pixels[i-width+1]))
			h[r&255]++
			h[256+r>>8&255]++
			h[512+r>>16&255]++
			h[768+r>>24]++
		}
	}
	for c := range 4 {
		b, _ := entropy(h[256*c : 256*(c+1)])
		bits += b
	}
	return bits
}

// residuals sets out to what the predictor leaves of an image. The format gives
// the first pixel, row and column predictors of their own, and has the last pixel
// of a row see the first of its own row above and to the right.
func (p *predictChoice) residuals(out, pixels []uint32, width, height int) {
	out[0] = subtract(pixels[0], opaqueBlack)
	for x := 1; x < width; x++ {
		out[x] = subtract(pixels[x], pixels[x-1])
	}
	f := predictors[p.mode]
	for y := 1; y < height; y++ {
		row, above := pixels[y*width:(y+1)*width], pixels[(y-1)*width:y*width+1]
		to := out[y*width : (y+1)*width]
		to[0] = subtract(row[0], above[0])
		for x := 1; x < width; x++ {
			to[x] = subtract(row[x], f(row[x-1], above[x], above[x-1], above[x+1]))
		}
	}
}
