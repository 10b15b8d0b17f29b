package picture

import (
	"context"
	"fmt"
	"math"
	"slices"

	"portico/splat/gaussian"
)

const (
	// minInView is the number of Gaussians in view for a good picture from inside a capture.
	minInView = 150_000
	// maxPositions is the maximum number of Gaussians of a level whose positions are read,
	// which takes 96 MB.
	maxPositions = 8 << 20
	// viewMargin is the ratio of the selected region to the picture. Gaussians whose centres are
	// outside of the picture are partly visible.
	viewMargin = 1.2
)

// SelectInView reads the Gaussians for pictures from inside a capture: the Gaussians that one of the
// cameras sees in a picture of this size, from the coarsest level with enough of them. If the
// cameras see none, it returns the same as Select.
//
// It reads positions from the coarsest level on, and stops at the first with enough Gaussians in
// view, or before a level whose positions would take too much memory.
func SelectInView(ctx context.Context, source gaussian.Source, width, height int, cameras ...Camera) (*gaussian.Cloud, error) {
	counts := source.Levels()
	var seen []uint32
	at := 0
	for level := len(counts) - 1; level >= 0 && counts[level] <= maxPositions && len(seen) < minInView; level-- {
		positions := make([]float32, 3*counts[level])
		if err := source.Positions(ctx, level, positions, nil); err != nil {
			return nil, fmt.Errorf("read positions for a picture: %w", err)
		}
		seen, at = inView(cameras, positions, float64(width)/float64(height)), level
	}
	if len(seen) == 0 {
		return Select(ctx, source)
	}
	return read(ctx, source, at, len(seen), func(i int) uint32 { return seen[i] })
}

// inView returns the indices of the positions that one of the cameras sees.
func inView(cameras []Camera, positions []float32, aspect float64) (seen []uint32) {
	views := make([]view, len(cameras))
	for i, c := range cameras {
		tangent := viewMargin * math.Tan(c.FieldOfView*math.Pi/360)
		views[i] = view{c.Eye, c.axes(), tangent * aspect, tangent}
	}
	for i := 0; i+2 < len(positions); i += 3 {
		p := [3]float64{float64(positions[i]), float64(positions[i+1]), float64(positions[i+2])}
		if slices.ContainsFunc(views, func(v view) bool { return v.contains(p) }) {
			seen = append(seen, uint32(i/3))
		}
	}
	return seen
}

// view is the region that a camera sees.
type view struct {
	eye                [3]float64
	axes               [3][3]float64
	tangentX, tangentY float64
}

func (v view) contains(p [3]float64) bool {
	line := add(p, v.eye, -1)
	depth := dot(v.axes[2], line)
	return depth > 0 && math.Abs(dot(v.axes[0], line)) <= v.tangentX*depth && math.Abs(dot(v.axes[1], line)) <= v.tangentY*depth
}
