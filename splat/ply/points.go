package ply

import (
	"context"
	"math"
	"slices"

	"portico/splat/gaussian"
	"portico/splat/records"
)

// colourNames are the names of colours that are not harmonics, by tool: most tools, Meshroom and
// others of the first scanners, and short ones.
var colourNames = [][3]string{{"red", "green", "blue"}, {"diffuse_red", "diffuse_green", "diffuse_blue"}, {"r", "g", "b"}}

// colourOf returns the names of the colours that are not harmonics, and reports whether there are
// any.
func colourOf(e *element) ([3]string, bool) {
	for _, names := range colourNames {
		if e.index(names[0]) >= 0 && e.index(names[1]) >= 0 && e.index(names[2]) >= 0 {
			return names, true
		}
	}
	return [3]string{}, false
}

// isPoint reports whether the vertices have positions and colours, as points of a scanner have.
// Nerfstudio exports Gaussians so too, with scales, rotations and opacities.
func isPoint(e *element) bool {
	_, coloured := colourOf(e)
	return coloured && e.count > 0 && e.index("x") >= 0 && e.index("y") >= 0 && e.index("z") >= 0
}

// isShort reports whether a file whose points are text is short enough to be parsed into memory.
// Longer ones are not drawn, but no fault.
func (f *File) isShort() bool { return f.header.encoding != Text || f.file.Size() <= MaxText }

// findShape finds the scales and rotations. Without them, Gaussians are balls, whose size settle
// sets.
func (l *layout) findShape(e *element, find func(string) field) {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return e.index(name) < 0 })
	}
	// The file has w first, a cloud has it last.
	l.rotations = [4]field{{}, {}, {}, {constant: 1}}
	l.scales = []field{{}, {}, {}}
	if !has("scale_0", "scale_1", "rot_0", "rot_1", "rot_2", "rot_3", "opacity") {
		return
	}
	l.rotations = [4]field{find("rot_1"), find("rot_2"), find("rot_3"), find("rot_0")}
	l.scales = []field{find("scale_0"), find("scale_1")}
	if has("scale_2") {
		l.scales = append(l.scales, find("scale_2"))
	}
}

// findColour finds the colours and the opacity. Without an opacity, Gaussians are opaque, or have
// the alpha of their colours.
func (l *layout) findColour(e *element, find func(string) field) {
	l.opacity, l.alphaUnit = field{constant: 1}, 1
	if !l.needsSize() {
		l.opacity, l.alphaUnit = find("opacity"), 0
	}
	names := [3]string{"f_dc_0", "f_dc_1", "f_dc_2"}
	if e.index(names[0]) < 0 || e.index(names[1]) < 0 || e.index(names[2]) < 0 {
		names, _ = colourOf(e)
		l.colourUnit = e.unit(names[0])
		if l.needsSize() && e.index("alpha") >= 0 {
			l.opacity, l.alphaUnit = find("alpha"), e.unit("alpha")
		}
	}
	l.colours = [3]field{find(names[0]), find(names[1]), find(names[2])}
}

// unit returns the factor from the values of a property to 0 to 1: integers have the range of their
// type, or of a byte if text has no types of its own.
func (e *element) unit(name string) float32 {
	switch e.properties[e.index(name)].stored {
	case uint8Scalar:
		return 1.0 / math.MaxUint8
	case uint16Scalar:
		return 1.0 / math.MaxUint16
	case float32Scalar, float64Scalar:
		return 1
	}
	return 1.0 / math.MaxUint8 // other integers have bytes
}

// needsSize reports whether the Gaussians are points without a size.
func (l *layout) needsSize() bool { return l.scales[0].scalar == 0 }

// settleSample is the number of points that decide for all.
const settleSample = 1024

// settle sets what a sample of the points shows: their size, and whether colours that are not
// integers are from 0 to 1 or, as some tools write them, from 0 to 255.
func (s *splats) settle(ctx context.Context) error {
	n := min(settleSample, s.table.Count)
	numbers := make([]uint32, n)
	for i := range numbers {
		numbers[i] = uint32(int64(i) * int64(s.table.Count) / int64(n))
	}
	o, err := records.NewRequests(numbers, s.table.Count)
	if err != nil {
		return err
	}
	var positions [3][]float64
	brightest := float32(0)
	err = s.table.Gather(ctx, o, func(_ int, row []byte) {
		for axis := range positions {
			brightest = max(brightest, s.layout.colours[axis].value(row))
			if v := s.layout.positions[axis].exactValue(row); isFinite(v) {
				positions[axis] = append(positions[axis], v)
			}
		}
	})
	if err != nil {
		return err
	}
	// Colours of bright scenes exceed 1 a little.
	const tooBright = 4
	if s.layout.colourUnit == 1 && brightest > tooBright {
		s.layout.colourUnit = 1.0 / math.MaxUint8
	}
	if s.layout.needsSize() {
		s.setSize(positions)
	}
	return nil
}

// setSize sets the size of points so that neighbours on a surface touch: half of their distance,
// if they are spread evenly over half of the sides of the box around most of them.
func (s *splats) setSize(positions [3][]float64) {
	var extent [3]float64
	for axis, all := range positions {
		if slices.Sort(all); len(all) > 0 {
			extent[axis] = all[len(all)-1-len(all)/20] - all[len(all)/20]
		}
	}
	a, b, c := extent[0], extent[1], extent[2]
	size := math.Sqrt((a*b+b*c+c*a)/float64(s.table.Count)) / 2
	if size == 0 {
		size = max(a, b, c) / float64(s.table.Count) / 2 // points on a line
	}
	if !(size > minPointSize && size < tooFar) {
		size = minPointSize
	}
	scale := gaussian.LogScale(float32(size))
	for k := range s.layout.scales {
		s.layout.scales[k].constant = scale
	}
}

// minPointSize is the minimum size of a point in metres.
const minPointSize = 1e-4
