package ply

import (
	"context"

	"portico/splat/folder"
	"portico/splat/gaussian"
)

// Kind is what a PLY file holds.
type Kind string

// The kinds of PLY files.
const (
	Gaussians  Kind = "gaussians"  // one row of values each, as 3DGS trainers write them
	Compressed Kind = "compressed" // Gaussians packed by SuperSplat
	Mesh       Kind = "mesh"       // vertices and faces
	Points     Kind = "points"     // vertices only, or none
)

// Facts is what a header says, once it agrees with the length of the file.
type Facts struct {
	Kind     Kind
	Encoding Encoding
	// Vertices is the number of rows of the vertex element: that of the
	// Gaussians where there are any.
	Vertices int64
	// Faces is the number of polygons of a mesh.
	Faces int64
	// Degree is that of the harmonics of Gaussians, 0 to 4.
	Degree int
	// Flat tells that the Gaussians are discs, which have no third scale (2DGS).
	Flat bool
}

// Bounds is an axis-aligned box around centres or vertices, in the coordinates of
// the file.
type Bounds struct {
	Min [3]float64
	Max [3]float64
}

// File is an opened PLY file. Its methods may be called from several goroutines at
// once.
type File struct {
	file   folder.File
	name   string // for errors
	header *header
	facts  Facts
	// source is nil but for Gaussians.
	source gaussian.Source
}

// Open reads the header of a PLY file and checks it against the length of the
// file; Gaussians in a text file it reads whole. What is wrong with the file is an
// *input.Error that names it by name. When Open succeeds the file belongs to the
// File and is closed by it; after an error it is still the caller's.
func Open(ctx context.Context, file folder.File, name string) (*File, error) {
	h, err := readHeader(file, name)
	if err != nil {
		return nil, err
	}
	if err := h.checkSize(file, name); err != nil {
		return nil, err
	}
	f := &File{file: file, name: name, header: h, facts: Facts{Kind: Points, Encoding: h.encoding}}
	if faces := h.element("face"); faces != nil && faces.count > 0 {
		f.facts.Kind, f.facts.Faces = Mesh, faces.count
	}
	vertices := h.element("vertex")
	if vertices == nil {
		return f, nil
	}
	f.facts.Vertices = vertices.count
	switch {
	case vertices.index("packed_position") >= 0 && h.element("chunk") != nil:
		err = f.openCompressed(ctx, vertices)
	case isGaussian(vertices):
		err = f.openGaussians(ctx, vertices)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// index returns the place of a property with single values, or -1.
func (e *element) index(name string) int {
	for i, p := range e.properties {
		if p.name == name && p.length == 0 {
			return i
		}
	}
	return -1
}

// Facts returns what the header says.
func (f *File) Facts() Facts { return f.facts }

// Source returns the Gaussians, and whether the file holds any: meshes and points
// have none. Closing the source closes the file.
func (f *File) Source() (gaussian.Source, bool) { return f.source, f.source != nil }

// Bounds returns the box around the centres or vertices, nil where there are none.
// It reads the file once, except of packed Gaussians, whose ranges are known. More
// than one in a thousand that has no finite position is an *input.Error.
func (f *File) Bounds(ctx context.Context) (*Bounds, error) {
	var b box
	var err error
	switch s := f.source.(type) {
	case *compressed:
		b = s.bounds()
	case *splats:
		err = s.bounds(ctx, &b)
	default:
		err = f.vertexBounds(ctx, &b)
	}
	if err != nil {
		return nil, err
	}
	return b.result(f.name)
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
