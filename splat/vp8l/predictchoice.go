package vp8l

// predictorSample is the approximate number of pixels in the sample that predictors
// are tried on.
const predictorSample = 1 << 12

// predictorChoice finds one predictor for an image. The format allows one per tile,
// but tiles gained nothing in the textures of captures, whose pixels are all in the
// same order. The zero value is ready to use.
type predictorChoice struct {
	mode      int             // the number of the predictor
	histogram [4 * 256]uint32 // residuals of one predictor in the sample, by channel
}

// choose sets mode to the predictor whose residuals have the lowest entropy in a
// sample of the rows.
func (p *predictorChoice) choose(pixels []uint32, width, height int) {
	p.mode = 0
	if width < 2 || height < 2 {
		return // all pixels are on a border, whose predictors are fixed
	}
	minBits := 0.0
	for mode := range predictors {
		if bits := p.residualEntropy(mode, pixels, width, height); mode == 0 || bits < minBits {
			minBits, p.mode = bits, mode
		}
	}
}

// residualEntropy returns the entropy of a predictor's residuals in the sample,
// summed over the channels.
func (p *predictorChoice) residualEntropy(mode int, pixels []uint32, width, height int) (bits float64) {
	f, h := predictors[mode], &p.histogram
	clear(h[:])
	// Take every step-th row as a whole: predictors need neighbours, and memory is
	// read fastest in sequence.
	step := max(1, width*height/predictorSample)
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

// setResiduals sets out to the differences between an image and its prediction. The
// format fixes the predictors of the first pixel, row and column. For the last
// pixel of a row, the top right neighbour is the first pixel of the same row.
//
// The predictors by place:
//
//	first pixel        opaqueBlack
//	first row          the left neighbour
//	first column       the top neighbour
//	everything else    the chosen one
func (p *predictorChoice) setResiduals(out, pixels []uint32, width, height int) {
	out[0] = subtract(pixels[0], opaqueBlack)
	for x := 1; x < width; x++ {
		out[x] = subtract(pixels[x], pixels[x-1])
	}
	predict := predictors[p.mode]
	for y := 1; y < height; y++ {
		row, above := pixels[y*width:(y+1)*width], pixels[(y-1)*width:y*width+1]
		to := out[y*width : (y+1)*width]
		to[0] = subtract(row[0], above[0])
		for x := 1; x < width; x++ {
			to[x] = subtract(row[x], predict(row[x-1], above[x], above[x-1], above[x+1]))
		}
	}
}
