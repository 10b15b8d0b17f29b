package vp8l

import (
	"cmp"
	"slices"
)

const (
	// predictBits is the size of a tile that shares a predictor, as the
	// exponent of its side.
	predictBits = 4
	// candidates is how many of the predictors are tried for each tile, the
	// best of the image.
	candidates = 4
	// rankedPixels is how many pixels are looked at to find these.
	rankedPixels = 1 << 13
)

// predictChoice finds a predictor for each tile of an image. The zero value is
// ready.
type predictChoice struct {
	modes      []uint32                         // of each tile, as a pixel of the predictor image
	histograms [len(predictors)][4 * 256]uint32 // of what each leaves in the sample
	costs      [4 * 256]uint32                  // of residuals, channel by channel
	ranked     []int                            // predictors, the best first
	tried      [][candidates]uint32             // costs in the tiles of one row of them
}

// tiles returns how many tiles of 1<<bits pixels a side of so many needs.
func tiles(side, bits int) int { return (side + 1<<bits - 1) >> bits }

// choose sets modes. The predictor of a tile is the one whose residuals are cheapest
// in a code made for the residuals of the image's best predictor.
func (p *predictChoice) choose(pixels []uint32, width, height int) {
	across, down := tiles(width, predictBits), tiles(height, predictBits)
	p.modes = resize(p.modes, across*down)
	clear(p.modes)
	if width < 2 || height < 2 {
		return // the borders have predictors of their own
	}
	p.rank(pixels, width, height)
	p.tried = resize(p.tried, across)
	for ty := range down {
		p.tryRow(pixels, width, ty<<predictBits, min((ty+1)<<predictBits, height))
		for tx, cost := range p.tried {
			best := 0
			for k := range cost {
				if cost[k] < cost[best] {
					best = k
				}
			}
			p.modes[ty*across+tx] = uint32(p.ranked[best]) << 8
		}
	}
}

// rank sorts the predictors by how little entropy they leave in a sample of the
// rows, and sets costs to those of what the best leaves.
func (p *predictChoice) rank(pixels []uint32, width, height int) {
	// Whole rows, step apart: predictors need neighbours, and rows are quick to read.
	step := max(1, width*height/rankedPixels)
	for mode, f := range predictors {
		h := &p.histograms[mode]
		clear(h[:])
		for y := 1; y < height; y += step {
			for i := y*width + 1; i < (y+1)*width; i++ {
				r := subtract(pixels[i], f(pixels[i-1], pixels[i-width], pixels[i-width-1], pixels[i-width+1]))
				countChannels(h, r)
			}
		}
	}
	var bits [len(predictors)]float64
	p.ranked = p.ranked[:0]
	for mode := range predictors {
		for c := range 4 {
			b, _ := entropy(p.histograms[mode][256*c : 256*(c+1)])
			bits[mode] += b
		}
		p.ranked = append(p.ranked, mode)
	}
	slices.SortStableFunc(p.ranked, func(a, b int) int { return cmp.Compare(bits[a], bits[b]) })
	for c := range 4 {
		costs(p.costs[256*c:256*(c+1)], p.histograms[p.ranked[0]][256*c:256*(c+1)])
	}
}

// countChannels adds the four channels of a pixel to their histograms.
func countChannels(h *[4 * 256]uint32, pixel uint32) {
	h[pixel&255]++
	h[256+pixel>>8&255]++
	h[512+pixel>>16&255]++
	h[768+pixel>>24]++
}

// tryRow sets tried to what the best predictors leave in the tiles of the rows
// from top to bottom.
func (p *predictChoice) tryRow(pixels []uint32, width, top, bottom int) {
	clear(p.tried)
	for y := max(top, 1); y < bottom; y++ {
		row := pixels[y*width : (y+1)*width]
		above := pixels[(y-1)*width : y*width+1] // and the pixel after it, see residuals
		for k := range candidates {
			f := predictors[p.ranked[k]]
			for tx := range p.tried {
				sum := uint32(0)
				for x := max(tx<<predictBits, 1); x < min((tx+1)<<predictBits, width); x++ {
					r := subtract(row[x], f(row[x-1], above[x], above[x-1], above[x+1]))
					sum += p.costs[r&255] + p.costs[256+r>>8&255] + p.costs[512+r>>16&255] + p.costs[768+r>>24]
				}
				p.tried[tx][k] += sum
			}
		}
	}
}

// residuals sets out to what the chosen predictors leave of an image. The format
// gives the first pixel, row and column predictors of their own, and has the last
// pixel of a row see the first of its own row above and to the right.
func (p *predictChoice) residuals(out, pixels []uint32, width, height int) {
	out[0] = subtract(pixels[0], opaqueBlack)
	for x := 1; x < width; x++ {
		out[x] = subtract(pixels[x], pixels[x-1])
	}
	across := tiles(width, predictBits)
	for y := 1; y < height; y++ {
		row, above := pixels[y*width:(y+1)*width], pixels[(y-1)*width:y*width+1]
		to := out[y*width : (y+1)*width]
		to[0] = subtract(row[0], above[0])
		for tx, mode := range p.modes[y>>predictBits*across:][:across] {
			f := predictors[mode>>8]
			for x := max(tx<<predictBits, 1); x < min((tx+1)<<predictBits, width); x++ {
				to[x] = subtract(row[x], f(row[x-1], above[x], above[x-1], above[x+1]))
			}
		}
	}
}
