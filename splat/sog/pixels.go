package sog

import (
	"context"

	"portico/splat/gaussian"
	"portico/splat/palette"
)

// gaussianPixels has the pixels of a chunk's Gaussians.
type gaussianPixels struct {
	positionQuantiser
	scales, colours *palette.Codebook
	// byPlace has the pixels of each Gaussian in the five images that every chunk has, in the
	// order of imageNames. They are beside each other because a Gaussian's place in the
	// images may be far from its place in the cloud: its pixels are stored with one miss of
	// the cache then instead of five.
	byPlace [][imageSH0 + 1][4]byte
}

// pixelRange is the number of Gaussians whose pixels a task makes.
const pixelRange = 1 << 16

// makePixels returns the pixels of the chunk.
func (j *chunkEncoder) makePixels(ctx context.Context) (*gaussianPixels, error) {
	p := &gaussianPixels{}
	err := j.runTasks(ctx, func(*workspace) error {
		// The bounds are of this chunk alone: the smaller the chunk, the finer its steps.
		p.positionQuantiser = newPositionQuantiser(j.cloud.Positions)
		return nil
	}, func(*workspace) error {
		// The three axes have one codebook: the manifest has room for one, and the axes of
		// a Gaussian have no order.
		p.scales = newCodebook(j.cloud.Scales)
		return nil
	}, func(*workspace) error {
		// Colours that were stored as bytes have at most 256 values and stay exact.
		p.colours = newCodebook(j.cloud.Colours)
		return nil
	})
	if err != nil {
		return nil, err
	}
	n := j.cloud.Len()
	p.byPlace = make([][imageSH0 + 1][4]byte, n)
	var tasks []func(*workspace) error
	for from := 0; from < n; from += pixelRange {
		tasks = append(tasks, func(*workspace) error {
			for i := from; i < min(from+pixelRange, n); i++ {
				place := i
				if j.places != nil {
					place = int(j.places[i])
				}
				p.set(place, j.cloud, i)
			}
			return nil
		})
	}
	return p, j.runTasks(ctx, tasks...)
}

// set stores a Gaussian of the cloud in the pixels at a place.
func (p *gaussianPixels) set(place int, c *gaussian.Cloud, i int) {
	to := &p.byPlace[place]
	v := p.quantise((*[3]float32)(c.Positions[3*i:]))
	// Neighbours have similar high bytes, so two images are smaller than one with both.
	to[imageMeansLow] = [4]byte{byte(v[0]), byte(v[1]), byte(v[2]), 255}
	to[imageMeansHigh] = [4]byte{byte(v[0] >> 8), byte(v[1] >> 8), byte(v[2] >> 8), 255}
	q := (*[4]float32)(c.Rotations[4*i:])
	to[imageQuats] = packQuaternion(q[0], q[1], q[2], q[3])
	s, f := (*[3]float32)(c.Scales[3*i:]), (*[3]float32)(c.Colours[3*i:])
	to[imageScales] = [4]byte{p.scales.Index(s[0]), p.scales.Index(s[1]), p.scales.Index(s[2]), 255}
	to[imageSH0] = [4]byte{
		p.colours.Index(f[0]), p.colours.Index(f[1]), p.colours.Index(f[2]), byte(c.Opacities[i]*255 + 0.5),
	}
}

// positionQuantiser turns positions into 16-bit values ("The SOG Format", 3.1).
type positionQuantiser struct {
	// low and high are the logarithms of the minimum and maximum coordinates, which the
	// values 0 and 65535 encode.
	low, high [3]float32
	offset    [3]float64 // low
	scale     [3]float64
}

// newPositionQuantiser returns the quantiser for these positions.
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
