package child

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"strings"

	"portico/splat"
)

// The size of a poster in pixels.
const (
	posterWidth  = 640
	posterHeight = 400
)

// writePosters writes a poster of the default size to out, and the other sizes to the same
// folder: poster-320.jpg next to poster.jpg. It skips a size that the image is too small for.
func writePosters(ctx context.Context, capture *splat.Capture, out string, from *splat.Viewpoint) (converted, error) {
	sizes := []image.Point{{X: posterWidth, Y: posterHeight}, {X: posterWidth / 2, Y: posterHeight / 2}, {X: posterWidth * 2, Y: posterHeight * 2}}
	drawn, err := capture.Pictures(ctx, from, sizes...)
	if err != nil {
		return converted{}, err
	}
	made := converted{facts: splat.Facts{
		Format: splat.FormatJPEG, Width: drawn[0].Bounds().Dx(), Height: drawn[0].Bounds().Dy(), Attribution: capture.Facts.Attribution,
	}}
	for i, picture := range drawn {
		name, size := filepath.Base(out), picture.Bounds().Size()
		if i > 0 {
			name = fmt.Sprintf("%s-%d.jpg", strings.TrimSuffix(name, ".jpg"), sizes[i].X)
			if size == drawn[0].Bounds().Size() {
				continue
			}
		}
		encode := func(w io.Writer) error { return splat.EncodeJPEG(w, picture) }
		if err := writePicture(filepath.Join(filepath.Dir(out), name), encode); err != nil {
			return converted{}, err
		}
		made.pictures = append(made.pictures, Picture{Name: name, Width: size.X, Height: size.Y})
	}
	return made, nil
}

// writePicture creates a file with the picture that encode writes. The file must not exist yet.
func writePicture(path string, encode func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(encode(f), f.Close())
}
