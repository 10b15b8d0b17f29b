package sog

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// contextInterval is the number of Gaussians between two checks of the context.
const contextInterval = 1 << 16

// chunk is one decoded SOG. It keeps only the used bytes of its images: 19 for each
// Gaussian, and the palette of harmonics.
//
// A chunk is immutable after readChunk. The bytes of Gaussian i:
//
//	positions  u16 at 3i       x, y, z between the bounds, logarithmic
//	rotations  u8 at 4i        three components, and quaternionTag plus the index of the fourth
//	scales     u8 at 3i        indices into the codebook of scales
//	colours    u8 at 4i        three indices into the codebook of colours, and the opacity
//	labels     u16 at i        the entry of the palette; nil without harmonics
//	palette    f32 at 3n*entry  n coefficients of red, then of green and of blue
type chunk struct {
	*meta
	positions []uint16
	rotations []byte
	scales    []byte
	colours   []byte
	labels    []uint16
	// palette contains the harmonics of each entry in the order of gaussian.Cloud.
	palette []float32
}

// chunkImage is an image of a chunk as the manifest describes it.
type chunkImage struct {
	name string
	// minPixels is the number of pixels that its values need.
	minPixels int64
	// distinct reports whether its values differ from each other in every real
	// capture, so that the file cannot be tiny.
	distinct bool
}

// images returns the images of a chunk in the order of imageNames. The palette's image
// always has whole rows.
func (m *meta) images() []chunkImage {
	all := []chunkImage{
		imageMeansLow:  {m.Means.Files[0], m.Count, true},
		imageMeansHigh: {m.Means.Files[1], m.Count, false},
		imageQuats:     {m.Quats.Files[0], m.Count, false},
		imageScales:    {m.Scales.Files[0], m.Count, false},
		imageSH0:       {m.SH0.Files[0], m.Count, false},
	}
	if m.SHN != nil {
		rows := (m.SHN.Count + paletteColumns - 1) / paletteColumns
		all = append(all,
			chunkImage{m.SHN.Files[0], rows * paletteColumns * int64(m.coefficients()), false},
			chunkImage{m.SHN.Files[1], m.Count, false})
	}
	return all
}

// check checks the headers of all images.
func (m *meta) check(ctx context.Context, at location, manifest string) error {
	for i, img := range m.images() {
		size, err := at.inspect(ctx, manifest, img)
		if err != nil {
			return err
		}
		if i == imageCentroids {
			if err := m.checkPaletteSize(at.displayName(img.name), size); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPaletteSize checks the width of the palette's image, which the format fixes.
func (m *meta) checkPaletteSize(name string, size image.Point) error {
	if want := paletteColumns * m.coefficients(); size.X != want {
		return input.Damaged(name, "it is %d pixels wide; harmonics of degree %d need %d", size.X, m.degree(), want)
	}
	return nil
}

// readPositions returns the 16-bit values of all positions. The first image has the low bytes, the
// second the high ones. There are 3*Count of them.
func (m *meta) readPositions(ctx context.Context, at location, manifest string) ([]uint16, error) {
	// The count is trusted from here on: check has compared it with the images' sizes.
	positions := make([]uint16, 3*m.Count)
	for i, img := range m.images()[:imageQuats] {
		pixels, _, err := at.decode(ctx, manifest, img)
		if err != nil {
			return nil, err
		}
		for k := range positions {
			positions[k] |= uint16(pixels[k/3*4+k%3]) << (8 * i)
		}
	}
	return positions, nil
}

// readChunk decodes all images of a chunk. It decodes one at a time, because a whole
// image takes a third more memory, or far more, than the bytes that are kept.
func readChunk(ctx context.Context, m *meta, at location, manifest string) (*chunk, error) {
	c := &chunk{meta: m}
	var err error
	if c.positions, err = m.readPositions(ctx, at, manifest); err != nil {
		return nil, err
	}
	images := m.images()
	for _, p := range []struct {
		number   int
		to       *[]byte
		channels int
	}{{imageQuats, &c.rotations, 4}, {imageScales, &c.scales, 3}, {imageSH0, &c.colours, 4}} {
		pixels, _, err := at.decode(ctx, manifest, images[p.number])
		if err != nil {
			return nil, err
		}
		*p.to = firstChannels(pixels, int(m.Count), p.channels)
	}
	if m.SHN != nil {
		return c, c.readHarmonics(ctx, at, manifest)
	}
	return c, nil
}

// firstChannels copies the first channels of n pixels, so that the image's memory can
// be freed.
func firstChannels(pixels []byte, n, channels int) []byte {
	if channels == 4 {
		return bytes.Clone(pixels[:4*n])
	}
	out := make([]byte, 0, channels*n)
	for i := range n {
		out = append(out, pixels[4*i:4*i+channels]...)
	}
	return out
}

// readHarmonics decodes the palette and the labels that refer to it.
func (c *chunk) readHarmonics(ctx context.Context, at location, manifest string) error {
	n, images := c.coefficients(), c.images()
	pixels, size, err := at.decode(ctx, manifest, images[imageCentroids])
	if err != nil {
		return err
	}
	if err := c.checkPaletteSize(at.displayName(c.SHN.Files[0]), size); err != nil {
		return err
	}
	values := c.SHN.Codebook.expand()
	c.palette = make([]float32, 3*n*int(c.SHN.Count))
	for entry := range int(c.SHN.Count) {
		// Rows hold whole entries without padding, so entries are contiguous.
		for k, pixel := 0, pixels[4*n*entry:]; k < n; k++ {
			for channel := range 3 {
				c.palette[(3*entry+channel)*n+k] = values[pixel[4*k+channel]]
			}
		}
	}
	pixels, _, err = at.decode(ctx, manifest, images[imageLabels])
	if err != nil {
		return err
	}
	c.labels = make([]uint16, c.Count)
	for i := range c.labels {
		// The low byte is red and the high byte green ("The SOG Format", 3.5).
		c.labels[i] = binary.LittleEndian.Uint16(pixels[4*i:])
		if int64(c.labels[i]) >= c.SHN.Count {
			// Viewers would show arbitrary colours.
			return input.Damaged(at.displayName(c.SHN.Files[1]), "it refers to entry %d of a palette of %d", c.labels[i], c.SHN.Count)
		}
	}
	return nil
}

// dequantiser turns 16-bit values into positions ("The SOG Format", 3.1). It computes
// in 64 bits: a float32 has 24 bits, and the sum of bound and step would round some of
// the 16 away.
type dequantiser struct{ low, step [3]float64 }

// dequantiser returns the chunk's dequantiser. Each chunk has its own bounds.
func (m *meta) dequantiser() (d dequantiser) {
	for axis := range 3 {
		d.low[axis] = float64(m.Means.Mins[axis])
		d.step[axis] = (float64(m.Means.Maxs[axis]) - d.low[axis]) / (1<<16 - 1)
	}
	return d
}

// setPosition sets p to the position that three values encode.
func (d *dequantiser) setPosition(values []uint16, p []float32) {
	for axis := range 3 {
		p[axis] = float32(fromLogarithm(d.low[axis] + d.step[axis]*float64(values[axis])))
	}
}

// gaussianCopier copies Gaussians from a chunk to a cloud. It contains the values that are
// computed once per chunk.
type gaussianCopier struct {
	*chunk
	dequantiser
	scaleBooks, colourBooks [3]*book
	opacities               *book
}

// newGaussianCopier returns the copier of a chunk. Several copiers may use the same
// chunk concurrently.
func newGaussianCopier(c *chunk) *gaussianCopier {
	return &gaussianCopier{c, c.dequantiser(), c.channelBooks(c.Scales), c.channelBooks(c.SH0), c.opacityBook()}
}

// copyGaussian sets Gaussian i of a cloud to Gaussian j of the chunk. If the degrees
// differ, it copies the coefficients of both; because each channel's coefficients are
// contiguous, that is one copy per channel.
func (p *gaussianCopier) copyGaussian(to *gaussian.Cloud, i, j int) {
	p.setPosition(p.positions[3*j:], to.Positions[3*i:])
	unpackQuaternion(p.rotations[4*j:4*j+4], to.Rotations[4*i:4*i+4])
	for k := range 3 {
		to.Scales[3*i+k] = p.scaleBooks[k][p.scales[3*j+k]]
		to.Colours[3*i+k] = p.colourBooks[k][p.colours[4*j+k]]
	}
	to.Opacities[i] = p.opacities[p.colours[4*j+3]]
	have, want := p.coefficients(), gaussian.Coefficients(to.Degree)
	both := min(have, want)
	for channel := range 3 {
		out := to.Harmonics[(3*i+channel)*want:][:want]
		if both > 0 {
			copy(out[:both], p.palette[(3*int(p.labels[j])+channel)*have:])
		}
		clear(out[both:])
	}
}
