package ply

import (
	"context"

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

// Triangles reads the faces of a mesh and returns the number of triangles: a polygon
// of n corners has n-2.
func (f *File) Triangles(ctx context.Context) (int64, error) {
	e := f.header.element("face")
	if e == nil {
		return 0, nil
	}
	corners := -1 // faces may have other lists, such as texture coordinates
	for i, p := range e.properties {
		if p.length != 0 && (p.name == "vertex_indices" || p.name == "vertex_index") {
			corners = i
		}
	}
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
