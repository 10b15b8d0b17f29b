package picture

import (
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math"

	"portico/splat/gaussian"
)

const (
	// minPosterGaussians is the number of Gaussians for a good poster. More would not be visible at
	// its size.
	minPosterGaussians = 50_000
	// maxGaussians is the maximum number of Gaussians that are read for a poster.
	// With harmonics, they take 70 MB.
	maxGaussians = 300_000
	// jpegQuality is the quality of posters and small images, at which no blocks are
	// visible.
	jpegQuality = 85
)

// Select reads the Gaussians for a poster: the coarsest level with enough Gaussians, or else
// the finest. If the level has more than maxGaussians, it reads an even selection, and enlarges
// these so that they cover the same area as all.
func Select(ctx context.Context, source gaussian.Source) (*gaussian.Cloud, error) {
	// A coarser level that looks the same saves time, because reading takes most of the time.
	counts := source.Levels()
	level := len(counts) - 1
	for level > 0 && counts[level] < minPosterGaussians {
		level--
	}
	if level < 0 {
		return &gaussian.Cloud{}, nil
	}
	return read(ctx, source, level, counts[level], func(i int) uint32 { return uint32(i) })
}

// read reads count Gaussians of a level, or an even selection of maxGaussians of them,
// enlarged. index returns the index in the level of the i-th Gaussian.
func read(ctx context.Context, source gaussian.Source, level, count int, index func(i int) uint32) (*gaussian.Cloud, error) {
	indices := make([]uint32, min(count, maxGaussians))
	for i := range indices {
		indices[i] = index(int(int64(i) * int64(count) / int64(len(indices))))
	}
	cloud := &gaussian.Cloud{}
	if err := source.Read(ctx, level, indices, cloud); err != nil {
		return nil, fmt.Errorf("read Gaussians for a poster: %w", err)
	}
	enlarge(cloud, count)
	return cloud, nil
}

// enlarge enlarges the Gaussians of an even selection of count, so that they cover the same area as all.
func enlarge(selection *gaussian.Cloud, count int) {
	// Gaussians are on surfaces, so scales grow with the square root of the ratio of the numbers.
	growth := float32(math.Log(float64(count)/float64(max(selection.Len(), 1))) / 2)
	for i := range selection.Scales {
		selection.Scales[i] += growth
	}
}

// Thin returns an even selection of at most this many Gaussians, enlarged like that of Select: for
// pictures that are so small that more would not be visible.
func Thin(cloud *gaussian.Cloud, most int) *gaussian.Cloud {
	if cloud.Len() <= most {
		return cloud
	}
	selection := &gaussian.Cloud{}
	selection.Resize(most, cloud.Degree)
	for i := range most {
		selection.Set(i, cloud, int(int64(i)*int64(cloud.Len())/int64(most)))
	}
	enlarge(selection, cloud.Len())
	return selection
}

// EncodeJPEG writes a picture as JPEG with the quality of posters. Transparent pixels
// become black.
func EncodeJPEG(w io.Writer, picture image.Image) error {
	return jpeg.Encode(w, picture, &jpeg.Options{Quality: jpegQuality})
}
