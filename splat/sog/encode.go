package sog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"

	"portico/splat/gaussian"
	"portico/splat/palette"
)

// file is an encoded file of a chunk.
type file struct {
	name string
	data []byte
}

// chunkEncoder encodes one chunk.
type chunkEncoder struct {
	*writer
	cloud         *gaussian.Cloud
	degree        int
	message       string
	width, height int
	meta          meta
	files         []file // in the order of imageNames, then meta.json
}

// The images of a chunk in the order of writing.
const (
	imageMeansLow = iota
	imageMeansHigh
	imageQuats
	imageScales
	imageSH0
	imageCentroids
	imageLabels
)

// imageNames are the names that splat-transform uses. Readers take the names from the
// manifest.
var imageNames = [...]string{
	"means_l.webp", "means_u.webp", "quats.webp", "scales.webp", "sh0.webp", "shN_centroids.webp", "shN_labels.webp",
}

// encodeChunk returns the files of a chunk with these Gaussians, after sanitising their
// values in place. The chunk has harmonics if degree is not zero.
func (w *writer) encodeChunk(ctx context.Context, c *gaussian.Cloud, degree int, message string) ([]file, error) {
	sanitise(c)
	// Images take similarly long and do not depend on each other, so each is a task.
	j := &chunkEncoder{writer: w, cloud: c, degree: degree, message: message, files: make([]file, len(imageNames))}
	j.width, j.height = imageSize(c.Len())
	j.meta = meta{Version: version, Asset: asset{generator}, Count: int64(c.Len())}
	if err := w.runTasks(ctx, j.encodePositions, j.encodeRotations, j.encodeScales, j.encodeColours); err != nil {
		return nil, err
	}
	if degree > 0 {
		if err := j.encodeHarmonics(ctx); err != nil {
			return nil, err
		}
	}
	manifest, err := json.Marshal(&j.meta)
	if err != nil {
		return nil, fmt.Errorf("encode a manifest: %w", err)
	}
	if degree == 0 {
		j.files = j.files[:imageCentroids]
	}
	return append(j.files, file{metaName, manifest}), nil
}

// imageSize returns the sides of an image for n pixels: nearly a square, with sides that
// are multiples of 4, which suit graphics cards.
func imageSize(n int) (width, height int) {
	width = int(math.Ceil(math.Sqrt(float64(n))/4)) * 4
	return width, (n + 4*width - 1) / (4 * width) * 4
}

// encodeImage encodes an image with a pixel for each Gaussian; number is its index in
// imageNames. Fill sets n pixels. The pixels after them repeat the last, which
// compresses to nothing.
func (j *chunkEncoder) encodeImage(t *workspace, number, n int, fill func(pixels []byte)) error {
	return j.encodeImageOfSize(t, number, n, j.width, j.height, fill)
}

// encodeImageOfSize is encodeImage for an image of any size.
func (j *chunkEncoder) encodeImageOfSize(t *workspace, number, n, width, height int, fill func(pixels []byte)) error {
	// Fill must set all bytes of its pixels, because they hold another image's.
	t.pixels = resize(t.pixels, 4*width*height)
	fill(t.pixels[:4*n])
	for i := 4 * n; i < len(t.pixels); i += 4 {
		copy(t.pixels[i:i+4], t.pixels[4*n-4:])
	}
	var out bytes.Buffer
	if err := t.encoder.Encode(&out, t.pixels, width, height); err != nil {
		return fmt.Errorf("encode %s: %w", imageNames[number], err)
	}
	j.files[number] = file{imageNames[number], out.Bytes()}
	return nil
}

// reportImage reports one of the five images of every chunk as done.
func (j *chunkEncoder) reportImage() {
	j.progress.add(int64(j.cloud.Len())*costImage, j.message)
}

// encodePositions encodes the positions: the low and the high bytes of logarithms of 16
// bits, in two images. Neighbours have similar high bytes, so two images are smaller
// than one with both.
func (j *chunkEncoder) encodePositions(t *workspace) error {
	// The bounds are of this chunk alone: the smaller the chunk, the finer its steps.
	values, low, high := quantisePositions(j.cloud.Positions)
	j.meta.Means = means{Mins: low[:], Maxs: high[:], Files: imageNames[imageMeansLow : imageMeansHigh+1]}
	for number, shift := range []int{imageMeansLow: 0, imageMeansHigh: 8} {
		err := j.encodeImage(t, number, j.cloud.Len(), func(pixels []byte) {
			for i := range j.cloud.Len() {
				for axis := range 3 {
					pixels[4*i+axis] = byte(values[3*i+axis] >> shift)
				}
				pixels[4*i+3] = 255
			}
		})
		if err != nil {
			return err
		}
		j.reportImage()
	}
	return nil
}

// quantisePositions returns 16 bits for each coordinate, and the logarithms of the
// minimum and maximum coordinates, which the values 0 and 65535 encode.
func quantisePositions(positions []float32) (values []uint16, low, high [3]float32) {
	around := emptyBox()
	for i := 0; i < len(positions); i += 3 {
		around.addPoint(positions[i:])
	}
	var scale [3]float64
	for axis := range 3 {
		low[axis] = float32(logarithm(float64(around.low[axis])))
		high[axis] = float32(logarithm(float64(around.high[axis])))
		if high[axis] > low[axis] {
			scale[axis] = (1<<16 - 1) / (float64(high[axis]) - float64(low[axis]))
		}
	}
	// Rounding to float32 may have moved the bounds inwards by less than a step, so
	// values need clamping.
	values = make([]uint16, len(positions))
	for i := 0; i < len(positions); i += 3 {
		for axis := range 3 {
			// Adding a half rounds to the nearest, which halves the error of truncating.
			at := (logarithm(float64(positions[i+axis])) - float64(low[axis])) * scale[axis]
			values[i+axis] = uint16(min(max(int(at+0.5), 0), 1<<16-1))
		}
	}
	return values, low, high
}

// encodeRotations encodes the rotations, whose four bytes are a pixel.
func (j *chunkEncoder) encodeRotations(t *workspace) error {
	j.meta.Quats.Files = imageNames[imageQuats : imageQuats+1]
	defer j.reportImage()
	return j.encodeImage(t, imageQuats, j.cloud.Len(), func(pixels []byte) {
		for q := j.cloud.Rotations; len(q) > 0; q, pixels = q[4:], pixels[4:] {
			packed := packQuaternion(q[0], q[1], q[2], q[3])
			copy(pixels, packed[:])
		}
	})
}

// encodeScales encodes the scales with one codebook for the three axes: the manifest
// has room for one, and the axes of a Gaussian have no order.
func (j *chunkEncoder) encodeScales(t *workspace) error {
	book := newCodebook(j.cloud.Scales)
	j.meta.Scales = property{Codebook: fullCodebook(book), Files: imageNames[imageScales : imageScales+1]}
	defer j.reportImage()
	return j.encodeImage(t, imageScales, j.cloud.Len(), func(pixels []byte) {
		for s := j.cloud.Scales; len(s) > 0; s, pixels = s[3:], pixels[4:] {
			pixels[0], pixels[1], pixels[2], pixels[3] = book.Index(s[0]), book.Index(s[1]), book.Index(s[2]), 255
		}
	})
}

// encodeColours encodes the zeroth harmonics with one codebook for the three channels,
// and the opacities. Colours that were stored as bytes have at most 256 values and stay
// exact.
func (j *chunkEncoder) encodeColours(t *workspace) error {
	book := newCodebook(j.cloud.Colours)
	j.meta.SH0 = property{Codebook: fullCodebook(book), Files: imageNames[imageSH0 : imageSH0+1]}
	defer j.reportImage()
	return j.encodeImage(t, imageSH0, j.cloud.Len(), func(pixels []byte) {
		for i, opacity := range j.cloud.Opacities {
			s, p := j.cloud.Colours[3*i:], pixels[4*i:4*i+4]
			p[0], p[1], p[2], p[3] = book.Index(s[0]), book.Index(s[1]), book.Index(s[2]), byte(opacity*255+0.5)
		}
	})
}

// fullCodebook returns the entries of a codebook for a manifest. It repeats the last
// entry up to 256 entries, because viewers expect as many.
func fullCodebook(c *palette.Codebook) codebook {
	return codebook(codebook(c.Entries()).expanded()[:])
}

// encodeHarmonics encodes the palette of harmonics and the labels.
func (j *chunkEncoder) encodeHarmonics(ctx context.Context) error {
	n, all := j.cloud.Len(), int64(j.cloud.Len())*costHarmonics
	reported := int64(0)
	// Building the palette is 95 % of the work; its two images are the rest.
	report := func(fraction float64) {
		now := int64(0.95 * fraction * float64(all))
		j.progress.add(now-reported, j.message)
		reported = now
	}
	values, width := roundedHarmonics(withDegree(j.cloud, j.degree), n), 3*gaussian.Coefficients(j.degree)
	p, err := palette.Build(ctx, values, width, paletteSize(n), j.options.palette(report))
	if err != nil {
		return err
	}
	book := newCodebook(p.Centroids)
	count := len(p.Centroids) / width
	j.meta.SHN = &paletteMeta{Count: int64(count), Bands: j.degree, Codebook: fullCodebook(book), Files: imageNames[imageCentroids:]}
	err = j.runTasks(ctx,
		func(t *workspace) error { return j.encodeCentroids(t, p.Centroids, book) },
		func(t *workspace) error {
			return j.encodeImage(t, imageLabels, n, func(pixels []byte) {
				for i, label := range p.Labels {
					pixels[4*i], pixels[4*i+1], pixels[4*i+2], pixels[4*i+3] = byte(label), byte(label>>8), 0, 255
				}
			})
		})
	j.progress.add(all-reported, j.message)
	return err
}

// encodeCentroids encodes the entries of the palette: 64 in a row, with a pixel for each
// coefficient ("The SOG Format", 3.5).
func (j *chunkEncoder) encodeCentroids(t *workspace, centroids []float32, book *palette.Codebook) error {
	n := gaussian.Coefficients(j.degree)
	count := len(centroids) / (3 * n)
	width, height := paletteColumns*n, (count+paletteColumns-1)/paletteColumns
	return j.encodeImageOfSize(t, imageCentroids, count*n, width, height, func(pixels []byte) {
		for entry := range count {
			for k := range n {
				p := pixels[4*(entry*n+k):]
				for channel := range 3 {
					p[channel] = book.Index(centroids[(3*entry+channel)*n+k])
				}
				p[3] = 255
			}
		}
	})
}
