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
	// enough is how many Gaussians make a good poster: more do not show at its
	// size.
	enough = 50_000
	// maxGaussians is how many are read for one at most. With harmonics they
	// take 70 MB.
	maxGaussians = 300_000
	// jpegQuality is that of posters and small images: no blocks can be seen.
	jpegQuality = 85
)

// Poster draws a picture of a capture, of the default size. What is wrong with
// the capture is an *input.Error.
func Poster(ctx context.Context, source gaussian.Source) (image.Image, error) {
	cloud, err := Select(ctx, source)
	if err != nil {
		return nil, err
	}
	return Render(ctx, cloud, Options{})
}

// Select reads the Gaussians that a poster needs: those of the coarsest level
// with enough of them, or of the finest. Of a level with more than 300,000 they
// are evenly chosen, and enlarged so that they cover as much as all do.
func Select(ctx context.Context, source gaussian.Source) (*gaussian.Cloud, error) {
	counts := source.Levels()
	level := len(counts) - 1
	for level > 0 && counts[level] < enough {
		level--
	}
	cloud := &gaussian.Cloud{}
	if level < 0 {
		return cloud, nil
	}
	count := counts[level]
	numbers := make([]uint32, min(count, maxGaussians))
	for i := range numbers {
		numbers[i] = uint32(int64(i) * int64(count) / int64(len(numbers)))
	}
	if err := source.Read(ctx, level, numbers, cloud); err != nil {
		return nil, fmt.Errorf("read Gaussians for a poster: %w", err)
	}
	// They lie on surfaces, so it is the area that counts.
	larger := float32(math.Log(float64(count)/float64(max(len(numbers), 1))) / 2)
	for i := range cloud.Scales {
		cloud.Scales[i] += larger
	}
	return cloud, nil
}

// EncodeJPEG writes a picture as JPEG, as posters are stored. What is transparent
// becomes black.
func EncodeJPEG(w io.Writer, picture image.Image) error {
	return jpeg.Encode(w, picture, &jpeg.Options{Quality: jpegQuality})
}
