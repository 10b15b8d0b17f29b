package splat

import (
	"context"
	"math"

	"portico/splat/edit"
	"portico/splat/gaussian"
	"portico/splat/ply"
)

// turnUpright converts a view with z up, as in LCC, to the axes of package gaussian, y down. The
// Gaussians of the capture get the same rotation.
//
// The axes of a view by the format of its file, and the position x, y, z in the axes of package
// gaussian:
//
//	PLY, SOG, CSV, .splat, .ksplat  y down, as in package gaussian   ( x,  y,  z)
//	LCC, LCC2                       z up                             ( x, -z,  y)
//	SPZ                             right, up, back (RUB)            ( x, -y, -z)
//	glTF, viewers                   y up                             (-x, -y,  z)
func (s *View) turnUpright() *View {
	turn := func(p [3]float64) [3]float64 { return [3]float64{p[0], -p[2], p[1]} }
	return &View{Position: turn(s.Position), Target: turn(s.Target)}
}

// inViewer converts a view between the axes of package gaussian and the axes of viewers and
// glTF, in both directions.
func (s *View) inViewer() *View { return s.inAxes([3]float64{-1, -1, 1}) }

// inSPZ converts a view between the axes of package gaussian and the default axes of SPZ, in
// both directions.
func (s *View) inSPZ() *View { return s.inAxes([3]float64{1, -1, -1}) }

// fromFile converts the view of a file to the axes of package gaussian. For an SPZ file these are
// the default axes of the format, RUB.
func (s *View) fromFile(format Format) *View {
	switch format {
	case FormatLCC, FormatLCC2:
		return s.turnUpright()
	case FormatSPZ:
		return s.inSPZ()
	case FormatGLB, FormatGLTF:
		return s.inViewer()
	}
	return s
}

// inAxes returns the view with the signs of its axes changed, or nil for nil.
func (s *View) inAxes(signs [3]float64) *View {
	if s == nil {
		return nil
	}
	mirrored := *s
	for k, sign := range signs {
		mirrored.Position[k] *= sign
		mirrored.Target[k] *= sign
	}
	return &mirrored
}

// moveView applies a step to the view and to up, as to Gaussians, so that they move with the
// capture.
func (c *Capture) moveView(ctx context.Context, step edit.Step) error {
	if c.view != nil {
		ends, err := movePoints(ctx, step, c.view.Position, c.view.Target)
		if err != nil {
			return err
		}
		c.view = &View{Position: ends[0], Target: ends[1]}
	}
	if c.up != nil {
		ends, err := movePoints(ctx, step, [3]float64{}, *c.up)
		if err != nil {
			return err
		}
		up, length := [3]float64{}, 0.0
		for k := range up {
			up[k] = ends[1][k] - ends[0][k]
			length = math.Hypot(length, up[k])
		}
		for k := range up {
			up[k] /= max(length, math.SmallestNonzeroFloat64)
		}
		c.up = &up
	}
	return nil
}

// HeaderSize is how many bytes of a file DeclaredUp needs. Comments are at the start of a header.
const HeaderSize = 4 << 10

// DeclaredUp returns the direction that a file declares as up in its first bytes, in the coordinates
// of the file; nil for none. It is for files that are not inspected yet.
func DeclaredUp(start []byte) *[3]float64 { return ply.DeclaredUp(start) }

// movePoints applies a step to two points.
func movePoints(ctx context.Context, step edit.Step, one, other [3]float64) (moved [2][3]float64, err error) {
	points := &gaussian.Cloud{}
	points.Resize(2, 0)
	for k := range 3 {
		points.Positions[k], points.Positions[3+k] = float32(one[k]), float32(other[k])
	}
	result, err := step(ctx, gaussian.NewMemorySource(nil, points))
	if err != nil {
		return moved, err
	}
	if err := result.Positions(ctx, 0, points.Positions, nil); err != nil {
		return moved, err
	}
	for k := range 3 {
		moved[0][k], moved[1][k] = float64(points.Positions[k]), float64(points.Positions[3+k])
	}
	return moved, nil
}
