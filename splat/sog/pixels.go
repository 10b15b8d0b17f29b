package sog

import (
	"context"

	"portico/splat/gaussian"
	"portico/splat/palette"
)

// gaussianPixels has the five images that every chunk has.
type gaussianPixels struct {
	positionQuantiser
	scales, colours *palette.Codebook
	// images are in the order of imageNames, in ARGB.
	images [imageSH0 + 1][]uint32
}

// pixelSet has the pixels of a Gaussian in the five images.
type pixelSet [imageSH0 + 1]uint32

// pixelRange is the number of Gaussians whose pixels a task makes.
const pixelRange = 1 << 16

// makePixels makes the codebooks of the chunk, and then the pixels of its pictures.
func (e *chunkEncoder) makePixels(ctx context.Context) (*gaussianPixels, error) {
	p := &gaussianPixels{}
	err := e.runTasks(ctx, func(*imageBuffers) error {
		// The bounds are of this chunk alone: the smaller the chunk, the finer its steps.
		p.positionQuantiser = newPositionQuantiser(e.cloud.Positions)
		return nil
	}, func(*imageBuffers) error {
		// The three axes have one codebook: the manifest has room for one, and the axes of
		// a Gaussian have no order.
		p.scales = newCodebook(e.cloud.Scales)
		return nil
	}, func(*imageBuffers) error {
		// Colours that were stored as bytes have at most 256 values and stay exact.
		p.colours = newCodebook(e.cloud.Colours)
		return nil
	})
	if err != nil {
		return nil, err
	}
	n := e.cloud.Len()
	// The pixels of a Gaussian are beside each other first: reading them in another order misses
	// the cache once then instead of five times.
	made := make([]pixelSet, n)
	err = e.runRanges(ctx, n, func(from, to int) {
		for i := from; i < to; i++ {
			p.set(&made[i], e.cloud, i)
		}
	})
	if err != nil {
		return nil, err
	}
	for k := range p.images {
		p.images[k] = make([]uint32, e.width*e.height)
	}
	err = e.runRanges(ctx, n, func(from, to int) { p.arrange(made, e.order, from, to) })
	for _, image := range p.images {
		repeatLast(image, n)
	}
	return p, err
}

// runRanges calls do with ranges that cover the numbers below n, several at a time.
func (e *chunkEncoder) runRanges(ctx context.Context, n int, do func(from, to int)) error {
	var tasks []func(*imageBuffers) error
	for from := 0; from < n; from += pixelRange {
		tasks = append(tasks, func(*imageBuffers) error {
			do(from, min(from+pixelRange, n))
			return nil
		})
	}
	return e.runTasks(ctx, tasks...)
}

// arrange sets a range of the images' pixels. Order has the Gaussian of each pixel; nil means the
// order of made.
func (p *gaussianPixels) arrange(made []pixelSet, order []uint32, from, to int) {
	// The first loop only copies, so that the processor waits for many reads from all over
	// memory at a time.
	const batch = 128
	var copied [batch]pixelSet
	for ; from < to; from += batch {
		next := copied[:min(batch, to-from)]
		if order == nil {
			copy(next, made[from:])
		} else {
			for i, number := range order[from:][:len(next)] {
				next[i] = made[number]
			}
		}
		for k := range p.images {
			pixels := p.images[k][from:][:len(next)]
			for i := range next {
				pixels[i] = next[i][k]
			}
		}
	}
}

// set sets the pixels of a Gaussian of the cloud. Opacities must be between 0 and 1, and scales and
// colours finite (see sanitise).
func (p *gaussianPixels) set(to *pixelSet, c *gaussian.Cloud, i int) {
	v := p.quantise((*[3]float32)(c.Positions[3*i:]))
	// Neighbours have similar high bytes, so two images are smaller than one with both.
	to[imageMeansLow] = argb(byte(v[0]), byte(v[1]), byte(v[2]), 255)
	to[imageMeansHigh] = argb(byte(v[0]>>8), byte(v[1]>>8), byte(v[2]>>8), 255)
	q := (*[4]float32)(c.Rotations[4*i:])
	packed := packQuaternion(q[0], q[1], q[2], q[3])
	to[imageQuats] = argb(packed[0], packed[1], packed[2], packed[3])
	s, f := (*[3]float32)(c.Scales[3*i:]), (*[3]float32)(c.Colours[3*i:])
	to[imageScales] = argb(p.scales.Index(s[0]), p.scales.Index(s[1]), p.scales.Index(s[2]), 255)
	to[imageSH0] = argb(p.colours.Index(f[0]), p.colours.Index(f[1]), p.colours.Index(f[2]), byte(c.Opacities[i]*255+0.5))
}

// argb returns a pixel as the encoder of images takes it.
func argb(red, green, blue, alpha byte) uint32 {
	return uint32(alpha)<<24 | uint32(red)<<16 | uint32(green)<<8 | uint32(blue)
}

// positionQuantiser turns positions into 16-bit values ("The SOG Format", 3.1).
type positionQuantiser struct {
	// low and high are the logarithms of the minimum and maximum coordinates, which the
	// values 0 and 65535 encode.
	low, high [3]float32
	offset    [3]float64 // low
	scale     [3]float64
}

func newPositionQuantiser(positions []float32) (q positionQuantiser) {
	around := emptyBox()
	for i := 0; i < len(positions); i += 3 {
		around.addPoint(positions[i:])
	}
	for axis := range 3 {
		q.low[axis] = float32(logarithm(float64(around.low[axis])))
		q.high[axis] = float32(logarithm(float64(around.high[axis])))
		q.offset[axis] = float64(q.low[axis])
		if q.high[axis] > q.low[axis] {
			q.scale[axis] = (1<<16 - 1) / (float64(q.high[axis]) - float64(q.low[axis]))
		}
	}
	return q
}

// quantise returns 16 bits for each coordinate.
func (q *positionQuantiser) quantise(p *[3]float32) (values [3]uint16) {
	for axis, v := range p {
		// Adding a half rounds to the nearest, which halves the error of truncating.
		// Rounding the bounds to float32 may have moved them inwards by less than a step,
		// so values need clamping.
		at := (logarithm(float64(v)) - q.offset[axis]) * q.scale[axis]
		values[axis] = uint16(min(max(int(at+0.5), 0), 1<<16-1))
	}
	return values
}
