package picture

import (
	"context"
	"image/color"

	"portico/splat/gaussian"
)

// The requirements of a first view: the share of all pixels that the capture covers, and the share
// of the upper half, because a floor alone is not a subject.
const (
	subjectWidth, subjectHeight = 160, 100
	minCovered, minAhead        = 0.3, 0.06
)

// ShowsSubject reports whether a picture from a camera shows something of a capture, and not only a
// corner, a floor, or haze.
func ShowsSubject(ctx context.Context, cloud *gaussian.Cloud, camera Camera) (bool, error) {
	o := Options{Width: subjectWidth, Height: subjectHeight, Camera: &camera, Top: color.Black, Bottom: color.Black}
	dark, err := Render(ctx, cloud, o)
	if err != nil {
		return false, err
	}
	o.Top, o.Bottom = color.White, color.White
	light, err := Render(ctx, cloud, o)
	if err != nil {
		return false, err
	}
	covered, ahead := 0, 0
	for i := 0; i < len(dark.Pix); i += 4 {
		// The background shows through by the difference of the two pictures.
		if int(light.Pix[i])-int(dark.Pix[i]) > 127 {
			continue
		}
		if covered++; i < len(dark.Pix)/2 {
			ahead++
		}
	}
	const all = subjectWidth * subjectHeight
	return float64(covered) > minCovered*all && float64(ahead) > minAhead*all/2, nil
}
