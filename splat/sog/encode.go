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
	cloud *gaussian.Cloud
	// places has the pixel of each Gaussian of the cloud. Nil means the order of the cloud.
	places        []uint32
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
// values in place. Places is nil or has the pixel of each Gaussian, which only
// chunks without harmonics can have. The chunk has harmonics if degree is not zero.
func (w *writer) encodeChunk(ctx context.Context, c *gaussian.Cloud, places []uint32, degree int, message string) ([]file, error) {
	sanitise(c)
	j := &chunkEncoder{writer: w, cloud: c, places: places, degree: degree, message: message, files: make([]file, len(imageNames))}
	j.width, j.height = imageSize(c.Len())
	j.meta = meta{Version: version, Asset: asset{generator}, Count: int64(c.Len())}
	if err := j.encodeGaussians(ctx); err != nil {
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

// encodeGaussians encodes the five images that every chunk has.
func (j *chunkEncoder) encodeGaussians(ctx context.Context) error {
	pixels, err := j.makePixels(ctx)
	if err != nil {
		return err
	}
	j.meta.Means = means{Mins: pixels.low[:], Maxs: pixels.high[:], Files: imageNames[imageMeansLow : imageMeansHigh+1]}
	j.meta.Quats.Files = imageNames[imageQuats : imageQuats+1]
	j.meta.Scales = property{Codebook: fullCodebook(pixels.scales), Files: imageNames[imageScales : imageScales+1]}
	j.meta.SH0 = property{Codebook: fullCodebook(pixels.colours), Files: imageNames[imageSH0 : imageSH0+1]}
	var tasks []func(*workspace) error
	for number := range pixels.byPlace[0] {
		tasks = append(tasks, func(t *workspace) error {
			defer func() { j.progress.add(int64(j.cloud.Len())*costImage, j.message) }()
			return j.encodeImage(t, number, func(image []byte) {
				for i := range pixels.byPlace {
					*(*[4]byte)(image[4*i:]) = pixels.byPlace[i][number]
				}
			})
		})
	}
	return j.runTasks(ctx, tasks...)
}

// encodeImage encodes an image with a pixel for each Gaussian; number is its index in
// imageNames. Fill sets the pixels.
func (j *chunkEncoder) encodeImage(t *workspace, number int, fill func(pixels []byte)) error {
	return j.encodeImageOfSize(t, number, j.cloud.Len(), j.width, j.height, fill)
}

// encodeImageOfSize encodes an image of any size. Fill sets n pixels. The pixels after them repeat the last, which compresses to nothing.
func (j *chunkEncoder) encodeImageOfSize(t *workspace, number, n, width, height int, fill func(pixels []byte)) error {
	// Fill must set all bytes of its pixels, because they hold another image's.
	t.pixels = resize(t.pixels, 4*width*height)
	fill(t.pixels[:4*n])
	for i := 4 * n; i < len(t.pixels); i += 4 {
		copy(t.pixels[i:i+4], t.pixels[4*n-4:])
	}
	// Labels and palettes repeat far apart; the other images almost never do.
	t.encoder.SetQuick(number < imageCentroids)
	var out bytes.Buffer
	if err := t.encoder.Encode(&out, t.pixels, width, height); err != nil {
		return fmt.Errorf("encode %s: %w", imageNames[number], err)
	}
	j.files[number] = file{imageNames[number], out.Bytes()}
	return nil
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
			return j.encodeImage(t, imageLabels, func(pixels []byte) {
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
