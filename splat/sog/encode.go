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

type file struct {
	name string
	data []byte
}

type chunkEncoder struct {
	*writer
	cloud *gaussian.Cloud
	// order has the Gaussian of each pixel. Nil means the order of the cloud.
	order         []uint32
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
// values in place. Order is nil or has the Gaussian of each pixel, which only
// chunks without harmonics can have. The chunk has harmonics if degree is not zero.
//
// The five images of all chunks are encoded concurrently, then the two of the harmonics.
func (w *writer) encodeChunk(ctx context.Context, c *gaussian.Cloud, order []uint32, degree int, message string) ([]file, error) {
	sanitise(c)
	e := &chunkEncoder{writer: w, cloud: c, order: order, degree: degree, message: message, files: make([]file, len(imageNames))}
	e.width, e.height = imageSize(c.Len())
	e.meta = meta{Version: version, Asset: asset{generator}, Count: int64(c.Len())}
	e.meta.setModel(w.options.Model)
	if err := e.encodeGaussians(ctx); err != nil {
		return nil, err
	}
	if degree > 0 {
		if err := e.encodeHarmonics(ctx); err != nil {
			return nil, err
		}
	}
	manifest, err := json.Marshal(&e.meta)
	if err != nil {
		return nil, fmt.Errorf("encode a manifest: %w", err)
	}
	if degree == 0 {
		e.files = e.files[:imageCentroids]
	}
	return append(e.files, file{metaName, manifest}), nil
}

// imageSize returns the sides of an image for n pixels: nearly a square, with sides that
// are multiples of 4, which suit graphics cards.
func imageSize(n int) (width, height int) {
	width = int(math.Ceil(math.Sqrt(float64(n))/4)) * 4
	return width, (n + 4*width - 1) / (4 * width) * 4
}

// encodeGaussians encodes the five images that every chunk has.
func (e *chunkEncoder) encodeGaussians(ctx context.Context) error {
	pixels, err := e.makePixels(ctx)
	if err != nil {
		return err
	}
	e.meta.Means = means{Mins: pixels.low[:], Maxs: pixels.high[:], Files: imageNames[imageMeansLow : imageMeansHigh+1]}
	e.meta.Quats.Files = imageNames[imageQuats : imageQuats+1]
	e.meta.Scales = property{Codebook: fullCodebook(pixels.scales), Files: imageNames[imageScales : imageScales+1]}
	e.meta.SH0 = property{Codebook: fullCodebook(pixels.colours), Files: imageNames[imageSH0 : imageSH0+1]}
	var tasks []func(*imageBuffers) error
	for number := range pixels.images {
		tasks = append(tasks, func(b *imageBuffers) error {
			defer func() { e.progress.add(int64(e.cloud.Len())*costImage, e.message) }()
			return e.encodePixels(b, imageShape{number, e.width, e.height}, pixels.images[number])
		})
	}
	return e.runTasks(ctx, tasks...)
}

// imageShape is the place of an image in a chunk, and its size in pixels.
type imageShape struct {
	number        int // the index in imageNames
	width, height int
}

// encodePixels encodes an image with these pixels in ARGB.
func (e *chunkEncoder) encodePixels(b *imageBuffers, i imageShape, pixels []uint32) error {
	// Labels and palettes repeat far apart; the other images almost never do.
	b.encoder.SetQuick(i.number < imageCentroids)
	var out bytes.Buffer
	if err := b.encoder.EncodeARGB(&out, pixels, i.width, i.height); err != nil {
		return fmt.Errorf("encode %s: %w", imageNames[i.number], err)
	}
	e.files[i.number] = file{imageNames[i.number], out.Bytes()}
	return nil
}

// encodeImage encodes an image of n pixels, which fill sets. The pixels after them repeat the
// last, which compresses to nothing.
func (e *chunkEncoder) encodeImage(b *imageBuffers, i imageShape, n int, fill func(pixels []uint32)) error {
	// Fill must set all of its pixels, because they hold another image's.
	b.pixels = resize(b.pixels, i.width*i.height)
	fill(b.pixels[:n])
	repeatLast(b.pixels, n)
	return e.encodePixels(b, i, b.pixels)
}

// repeatLast sets the pixels after the first n to the last of these.
func repeatLast(pixels []uint32, n int) {
	for i := n; i < len(pixels); i++ {
		pixels[i] = pixels[n-1]
	}
}

// fullCodebook returns the entries of a codebook for a manifest. It repeats the last
// entry up to 256 entries, because viewers expect as many.
func fullCodebook(c *palette.Codebook) codebook {
	return codebook(codebook(c.Entries()).expand()[:])
}

// encodeHarmonics encodes the palette of harmonics and the labels.
func (e *chunkEncoder) encodeHarmonics(ctx context.Context) error {
	n, all := e.cloud.Len(), int64(e.cloud.Len())*costHarmonics
	reported := int64(0)
	// Building the palette is 95 % of the work; its two images are the rest.
	report := func(fraction float64) {
		now := int64(0.95 * fraction * float64(all))
		e.progress.add(now-reported, e.message)
		reported = now
	}
	values, width := roundedHarmonics(withDegree(e.cloud, e.degree), n), 3*gaussian.Coefficients(e.degree)
	p, err := palette.Build(ctx, values, width, paletteSize(n), e.options.palette(report))
	if err != nil {
		return err
	}
	book := newCodebook(p.Centroids)
	count := len(p.Centroids) / width
	e.meta.SHN = &paletteMeta{Count: int64(count), Bands: e.degree, Codebook: fullCodebook(book), Files: imageNames[imageCentroids:]}
	err = e.runTasks(ctx,
		func(b *imageBuffers) error { return e.encodeCentroids(b, p.Centroids, book) },
		func(b *imageBuffers) error {
			return e.encodeImage(b, imageShape{imageLabels, e.width, e.height}, n, func(pixels []uint32) {
				for i, label := range p.Labels {
					pixels[i] = argb(byte(label), byte(label>>8), 0, 255)
				}
			})
		})
	e.progress.add(all-reported, e.message)
	return err
}

// encodeCentroids encodes the entries of the palette: 64 in a row, with a pixel for each
// coefficient ("The SOG Format", 3.5).
func (e *chunkEncoder) encodeCentroids(b *imageBuffers, centroids []float32, book *palette.Codebook) error {
	n := gaussian.Coefficients(e.degree)
	count := len(centroids) / (3 * n)
	image := imageShape{imageCentroids, paletteColumns * n, (count + paletteColumns - 1) / paletteColumns}
	return e.encodeImage(b, image, count*n, func(pixels []uint32) {
		for entry := range count {
			for k := range n {
				value := func(channel int) byte { return book.Index(centroids[(3*entry+channel)*n+k]) }
				pixels[entry*n+k] = argb(value(0), value(1), value(2), 255)
			}
		}
	})
}
