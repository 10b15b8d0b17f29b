package ply

import (
	"context"
	"math"
	"slices"

	"portico/splat/input"
	"portico/splat/records"
)

// verticesPerBroken is the minimum number of vertices for each vertex that is not finite. A mesh
// cannot leave them out as Gaussians are left out: faces refer to vertices by number.
const verticesPerBroken = 1000

// checkVertices refuses a mesh or points with too many vertices that are not finite.
func checkVertices(name string, broken, count int64) error {
	if broken*verticesPerBroken > count {
		return input.Damaged(name, "%d of its %d positions are not finite numbers", broken, count)
	}
	return nil
}

// addVertices adds the vertices of a mesh or of points to the box, if they have
// coordinates.
func (f *File) addVertices(ctx context.Context, b *box) error {
	e := f.header.element("vertex")
	if e == nil || e.index("x") < 0 || e.index("y") < 0 || e.index("z") < 0 {
		return nil
	}
	offset, known := f.header.offset(e)
	stride, fixed := e.stride()
	// Rows of a known size are read in blocks, which is many times as fast as value by
	// value. Rows of text, or with lists, have to be walked.
	if known && fixed && f.header.encoding != Text {
		t := records.Table{File: f.file, Offset: offset, Stride: int(stride), Count: int(e.count)}
		x, y, z := e.field("x", f.header.encoding), e.field("y", f.header.encoding), e.field("z", f.header.encoding)
		return t.Scan(ctx, func(_ int, rows []byte) error {
			for ; len(rows) > 0; rows = rows[stride:] {
				b.add(x.exactValue(rows), y.exactValue(rows), z.exactValue(rows))
			}
			return nil
		})
	}
	x, y, z := e.index("x"), e.index("y"), e.index("z")
	var p [3]float64
	last := max(x, y, z)
	return f.walk(ctx, e, func(property int, value float64) {
		switch property {
		case x:
			p[0] = value
		case y:
			p[1] = value
		case z:
			p[2] = value
		}
		if property == last {
			b.add(p[0], p[1], p[2])
		}
	})
}

// corners returns the property with the corners of faces, or -1. Faces may have other lists, such as
// texture coordinates.
func (e *element) corners() int {
	return slices.IndexFunc(e.properties, func(p property) bool {
		return p.length != 0 && (p.name == "vertex_indices" || p.name == "vertex_index")
	})
}

// The limits of a mesh that is drawn. A browser cannot draw a larger one.
const (
	maxMeshVertices  = 5_000_000
	maxMeshTriangles = 10_000_000
)

// TriangleMesh is a mesh for viewers.
type TriangleMesh struct {
	// Positions are x, y, z of each vertex, without the offset of the file.
	Positions []float32
	// Colours are red, green and blue of each vertex, 0 to 1, as on a display; nil means none.
	Colours []float32
	// Indices are three for each triangle.
	Indices []uint32
}

// Mesh reads a mesh. It divides polygons into fans of triangles, as viewers do. A mesh that is
// damaged, too large to be drawn or without triangles is an *input.Error.
func (f *File) Mesh(ctx context.Context) (*TriangleMesh, error) {
	vertices, faces := f.header.element("vertex"), f.header.element("face")
	switch {
	case vertices == nil || faces == nil || faces.corners() < 0 || vertices.index("x") < 0 || vertices.index("y") < 0 || vertices.index("z") < 0:
		return nil, input.Errorf(f.name, "is a mesh without positions or corners").Advise("Export it again")
	case vertices.count > maxMeshVertices:
		return nil, input.Errorf(f.name, "is too large to be drawn: it has %d vertices, at most %d can be drawn", vertices.count, maxMeshVertices).
			Advise("Reduce the mesh")
	}
	m := &TriangleMesh{}
	if err := f.readVertices(ctx, vertices, m); err != nil {
		return nil, err
	}
	return m, f.readFaces(ctx, faces, uint32(vertices.count), m)
}

// readVertices reads the positions and colours of a mesh. A position that is not finite becomes the
// origin of the mesh, because the faces refer to vertices by number; Bounds limits their number.
func (f *File) readVertices(ctx context.Context, e *element, m *TriangleMesh) error {
	if err := f.findOffset(ctx, e); err != nil {
		return err
	}
	m.Positions = make([]float32, 0, 3*e.count)
	wanted := axisNames[:]
	names, coloured := colourOf(e)
	unit, brightest := float32(0), float32(0)
	if coloured {
		wanted, unit = append(wanted, names[:]...), e.unit(names[0])
		m.Colours = make([]float32, 0, 3*e.count)
	}
	slots := make([]int, len(e.properties)) // of each property in a vertex, and -1 for others
	for i, p := range e.properties {
		if slots[i] = slices.Index(wanted, p.name); p.length != 0 {
			slots[i] = -1
		}
	}
	var vertex [6]float64
	last := len(e.properties) - 1
	err := f.walk(ctx, e, func(property int, value float64) {
		if slot := slots[property]; slot >= 0 {
			vertex[slot] = value
		}
		if property != last {
			return
		}
		for axis, v := range vertex[:3] {
			position := float32(v - f.facts.Offset[axis])
			if !isFinite(position) {
				position = 0
			}
			m.Positions = append(m.Positions, position)
		}
		for _, v := range vertex[3:len(wanted)] {
			brightest = max(brightest, float32(v))
			m.Colours = append(m.Colours, float32(v)*unit)
		}
	})
	const tooBright = 4 // as in settle
	scale := float32(1)
	if unit == 1 && brightest > tooBright {
		scale = 1.0 / math.MaxUint8
	}
	for i, v := range m.Colours {
		m.Colours[i] = min(max(v*scale, 0), 1)
	}
	return err
}

// readFaces reads the triangles of a mesh with a number of vertices.
func (f *File) readFaces(ctx context.Context, e *element, vertices uint32, m *TriangleMesh) error {
	corners := e.corners()
	var first, before uint32
	at, invalid, tooMany := 0, false, false
	visit := func(property int, _ float64) {
		if property == corners {
			at = 0
		}
	}
	err := f.walkFirst(ctx, e, e.count, visit, func(property int, value float64) {
		if property != corners || tooMany {
			return
		}
		if !(value >= 0 && value < float64(vertices)) || value != math.Trunc(value) {
			invalid = true
			return
		}
		corner := uint32(value)
		if at == 0 {
			first = corner
		} else if at > 1 {
			tooMany = len(m.Indices) >= 3*maxMeshTriangles
			m.Indices = append(m.Indices, first, before, corner)
		}
		before = corner
		at++
	})
	switch {
	case err != nil:
		return err
	case invalid:
		return input.Damaged(f.name, "its faces refer to vertices that it does not have")
	case tooMany:
		return input.Errorf(f.name, "is too large to be drawn: it has more than %d triangles", maxMeshTriangles).Advise("Reduce the mesh")
	case len(m.Indices) == 0:
		return input.Errorf(f.name, "is a mesh without triangles").Advise("Export it again")
	}
	return nil
}

// Triangles reads the faces of a mesh and returns the number of triangles: a polygon
// of n corners has n-2.
func (f *File) Triangles(ctx context.Context) (int64, error) {
	e := f.header.element("face")
	if e == nil {
		return 0, nil
	}
	corners := e.corners()
	if corners < 0 {
		return 0, nil
	}
	var triangles int64
	// walk passes the length of a list, which is the number of corners, and skips the
	// indices themselves.
	err := f.walk(ctx, e, func(property int, value float64) {
		if property == corners {
			triangles += max(int64(value)-2, 0)
		}
	})
	return triangles, err
}
