package splat

import (
	"context"

	"portico/splat/edit"
	"portico/splat/gaussian"
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

// moveView applies a step to the view, as to two Gaussians, so that the view moves with the
// capture.
func (c *Capture) moveView(ctx context.Context, step edit.Step) error {
	if c.view == nil {
		return nil
	}
	points := &gaussian.Cloud{}
	points.Resize(2, 0)
	for k := range 3 {
		points.Positions[k], points.Positions[3+k] = float32(c.view.Position[k]), float32(c.view.Target[k])
	}
	moved, err := step(ctx, gaussian.NewMemorySource(nil, points))
	if err != nil {
		return err
	}
	if err := moved.Positions(ctx, 0, points.Positions, nil); err != nil {
		return err
	}
	view := &View{}
	for k := range 3 {
		view.Position[k], view.Target[k] = float64(points.Positions[k]), float64(points.Positions[3+k])
	}
	c.view = view
	return nil
}
