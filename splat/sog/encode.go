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

// file is a file of a chunk, encoded.
type file struct {
	name string
	data []byte
}

// job is a chunk that is being encoded.
type job struct {
	*writer
	cloud         *gaussian.Cloud
	degree        int
	message       string
	width, height int
	meta          meta
	files         []file // in the order of imageNames, then meta.json
}

// The images of a chunk, in the order in which they are written.
const (
	imageMeansLow = iota
	imageMeansHigh
	imageQuats
	imageScales
	imageSH0
	imageCentroids
	imageLabels
)

// imageNames are those that splat-transform gives. Readers take them from the
// manifest.
var imageNames = [...]string{
	"means_l.webp", "means_u.webp", "quats.webp", "scales.webp", "sh0.webp", "shN_centroids.webp", "shN_labels.webp",
}

// encode returns the files of a chunk that has these Gaussians, of which it puts
// values right that are no numbers or beyond all bounds. The chunk has harmonics
// if degree is not zero.
func (w *writer) encode(ctx context.Context, c *gaussian.Cloud, degree int, message string) ([]file, error) {
	tidy(c)
	// Encoders are slow and all alike, so each image is a task for one worker.
	j := &job{writer: w, cloud: c, degree: degree, message: message, files: make([]file, len(imageNames))}
	j.width, j.height = imageSize(c.Len())
	j.meta = meta{Version: version, Asset: asset{generator}, Count: int64(c.Len())}
	if err := w.run(ctx, j.means, j.quats, j.scales, j.colours); err != nil {
		return nil, err
	}
	if degree > 0 {
		if err := j.harmonics(ctx); err != nil {
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

// imageSize returns the sides of an image of n pixels: nearly a square, and
// multiples of 4, which is what graphics cards like.
func imageSize(n int) (width, height int) {
	width = int(math.Ceil(math.Sqrt(float64(n))/4)) * 4
	return width, (n + 4*width - 1) / (4 * width) * 4
}

// image encodes pixels that fill sets, n of them, as the image of this number.
// The pixels behind them are like the last one, which costs nothing.
func (j *job) image(t *tool, number, n int, fill func(pixels []byte)) error {
	return j.imageOfSize(t, number, n, j.width, j.height, fill)
}

// imageOfSize does what image does for an image that has not a pixel for each
// Gaussian.
func (j *job) imageOfSize(t *tool, number, n, width, height int, fill func(pixels []byte)) error {
	// fill must set all bytes of its pixels: they have those of other images.
	t.pixels = grow(t.pixels, 4*width*height)
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

// tell reports one of the five images that every chunk has.
func (j *job) tell() {
	j.progress.add(int64(j.cloud.Len())*costImage, j.message)
}

// means writes the positions: 16 bits of a logarithm, rounded, in two images. The
// high bytes of neighbours are alike, so two images are smaller than one of mixed
// bytes would be.
func (j *job) means(t *tool) error {
	values, low, high := quantisePositions(j.cloud.Positions)
	j.meta.Means = means{Mins: low[:], Maxs: high[:], Files: imageNames[imageMeansLow : imageMeansHigh+1]}
	for number, shift := range []int{imageMeansLow: 0, imageMeansHigh: 8} {
		err := j.image(t, number, j.cloud.Len(), func(pixels []byte) {
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
		j.tell()
	}
	return nil
}

// quantisePositions returns 16 bits for each coordinate, and the logarithms that
// the least and the greatest of them stand for.
func quantisePositions(positions []float32) (values []uint16, low, high [3]float32) {
	around := emptyBox()
	for i := 0; i < len(positions); i += 3 {
		around.add(positions[i:])
	}
	var scale [3]float64
	for axis := range 3 {
		low[axis] = float32(logarithm(float64(around.low[axis])))
		high[axis] = float32(logarithm(float64(around.high[axis])))
		if high[axis] > low[axis] {
			scale[axis] = (1<<16 - 1) / (float64(high[axis]) - float64(low[axis]))
		}
	}
	// Rounding to float32 may have moved the bounds inwards, by less than a step.
	values = make([]uint16, len(positions))
	for i := 0; i < len(positions); i += 3 {
		for axis := range 3 {
			at := (logarithm(float64(positions[i+axis])) - float64(low[axis])) * scale[axis]
			values[i+axis] = uint16(min(max(int(at+0.5), 0), 1<<16-1))
		}
	}
	return values, low, high
}

// quats writes the rotations. Their four bytes are those of a pixel.
func (j *job) quats(t *tool) error {
	j.meta.Quats.Files = imageNames[imageQuats : imageQuats+1]
	defer j.tell()
	return j.image(t, imageQuats, j.cloud.Len(), func(pixels []byte) {
		for q := j.cloud.Rotations; len(q) > 0; q, pixels = q[4:], pixels[4:] {
			packed := packQuaternion(q[0], q[1], q[2], q[3])
			copy(pixels, packed[:])
		}
	})
}

// scales writes the sizes, with one codebook for the three axes.
func (j *job) scales(t *tool) error {
	book := newCodebook(j.cloud.Scales)
	j.meta.Scales = property{Codebook: fullCodebook(book), Files: imageNames[imageScales : imageScales+1]}
	defer j.tell()
	return j.image(t, imageScales, j.cloud.Len(), func(pixels []byte) {
		for s := j.cloud.Scales; len(s) > 0; s, pixels = s[3:], pixels[4:] {
			pixels[0], pixels[1], pixels[2], pixels[3] = book.Index(s[0]), book.Index(s[1]), book.Index(s[2]), 255
		}
	})
}

// colours writes the zeroth harmonics, with one codebook for the three channels,
// and the opacities. Colours that were bytes once are at most 256, which the
// codebook then holds as they are.
func (j *job) colours(t *tool) error {
	book := newCodebook(j.cloud.Colours)
	j.meta.SH0 = property{Codebook: fullCodebook(book), Files: imageNames[imageSH0 : imageSH0+1]}
	defer j.tell()
	return j.image(t, imageSH0, j.cloud.Len(), func(pixels []byte) {
		for i, opacity := range j.cloud.Opacities {
			s, p := j.cloud.Colours[3*i:], pixels[4*i:4*i+4]
			p[0], p[1], p[2], p[3] = book.Index(s[0]), book.Index(s[1]), book.Index(s[2]), byte(opacity*255+0.5)
		}
	})
}

// fullCodebook returns the entries of a codebook as a manifest has them: the last
// one again and again up to the number that viewers expect.
func fullCodebook(c *palette.Codebook) codebook {
	return codebook(codebook(c.Entries()).full()[:])
}

// paletteSize returns how many entries the harmonics of n Gaussians get: as many
// as splat-transform gives them, a power of two and not more than a label can
// say, and small chunks one for each.
func paletteSize(n int) int {
	const small = 1024
	if n <= small {
		return n
	}
	size := small
	for 2*size <= min(n, maxPalette) {
		size *= 2
	}
	return size
}

// harmonics writes the palette of harmonics and who has which entry.
func (j *job) harmonics(ctx context.Context) error {
	n, all := j.cloud.Len(), int64(j.cloud.Len())*costHarmonics
	told := int64(0)
	// The palette is nearly all of the work; its two images are the rest.
	tell := func(fraction float64) {
		now := int64(0.95 * fraction * float64(all))
		j.progress.add(now-told, j.message)
		told = now
	}
	values, width := ofDegree(j.cloud, j.degree), 3*gaussian.Coefficients(j.degree)
	p, err := palette.Build(ctx, values, width, paletteSize(n), j.options.palette(tell))
	if err != nil {
		return err
	}
	book := newCodebook(p.Centroids)
	count := len(p.Centroids) / width
	j.meta.SHN = &paletteMeta{Count: int64(count), Bands: j.degree, Codebook: fullCodebook(book), Files: imageNames[imageCentroids:]}
	err = j.run(ctx,
		func(t *tool) error { return j.centroids(t, p.Centroids, book) },
		func(t *tool) error {
			return j.image(t, imageLabels, n, func(pixels []byte) {
				for i, label := range p.Labels {
					pixels[4*i], pixels[4*i+1], pixels[4*i+2], pixels[4*i+3] = byte(label), byte(label>>8), 0, 255
				}
			})
		})
	j.progress.add(all-told, j.message)
	return err
}

// centroids writes the entries of the palette, 64 in a row, a pixel for each
// coefficient.
func (j *job) centroids(t *tool, centroids []float32, book *palette.Codebook) error {
	n := gaussian.Coefficients(j.degree)
	count := len(centroids) / (3 * n)
	width, height := paletteColumns*n, (count+paletteColumns-1)/paletteColumns
	return j.imageOfSize(t, imageCentroids, count*n, width, height, func(pixels []byte) {
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
