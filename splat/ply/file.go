package ply

import (
	"context"

	"portico/splat/folder"
	"portico/splat/gaussian"
)

// Kind says what the rows of a PLY file are.
type Kind string

// The kinds of PLY files.
const (
	Gaussians  Kind = "gaussians"  // one row of values each, from a trainer
	Compressed Kind = "compressed" // Gaussians packed by SuperSplat
	Mesh       Kind = "mesh"       // vertices and faces
	Points     Kind = "points"     // only vertices, or no data
)

// Facts is the content of a header that agrees with the length of the file.
type Facts struct {
	Kind     Kind
	Encoding Encoding
	// Vertices is the number of rows of the vertex element, which are the Gaussians
	// if there are any.
	Vertices int64
	// Faces is the number of polygons of a mesh.
	Faces int64
	// Degree is the degree of the harmonics, 0 to 4.
	Degree int
	// Model is the renderer that the Gaussians were trained for.
	Model Model
	// Offset is what is subtracted from the positions of Gaussians and points. It is zero unless
	// they are far from the origin, as coordinates of a map are. Bounds has the offset.
	Offset [3]float64
	// Flat reports whether the Gaussians are discs without a third scale (2DGS).
	Flat bool
	// Up is the direction that the header declares as up, a unit vector; nil for none.
	Up *[3]float64
	// Normalised reports whether the trainer scales captures to a unit cube, as nerfstudio does, so
	// that the unit is not the metre.
	Normalised bool
}

// File is an open PLY file. It is safe for concurrent use.
type File struct {
	file   folder.File
	name   string // for errors
	header *header
	facts  Facts
	// source is nil for a file without Gaussians.
	source gaussian.Source
}

// Open reads the header of a PLY file and compares it with the length of the file.
// Gaussians in a text file are read immediately. A faulty file is an *input.Error about
// name. The returned File closes the file; after an error the caller does.
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
	// A PLY without vertices is valid (Turk, "File Structure"), but shows nothing.
	vertices := h.element("vertex")
	if vertices == nil {
		return f, nil
	}
	f.facts.Vertices = vertices.count
	switch {
	case vertices.index("packed_position") >= 0 && h.element("chunk") != nil:
		err = f.openCompressed(ctx, vertices)
	case isGaussian(vertices), isPoint(vertices) && f.facts.Kind == Points && f.isShort():
		err = f.openGaussians(ctx, vertices)
	}
	if err != nil {
		return nil, err
	}
	// A comment about the renderer means nothing in a file of points or of a mesh. Two
	// scales decide against any comment: only discs lack the third.
	if f.source != nil {
		f.facts.Model, f.facts.Up, f.facts.Normalised = h.model, h.up, h.normalised
	}
	if f.facts.Flat {
		f.facts.Model = Discs
	}
	return f, nil
}

// index returns the index of a property that is not a list, or -1.
func (e *element) index(name string) int {
	for i, p := range e.properties {
		if p.name == name && p.length == 0 {
			return i
		}
	}
	return -1
}

// Facts returns the content of the header.
func (f *File) Facts() Facts { return f.facts }

// Source returns the Gaussians and reports whether the file has any. Closing the
// source closes the file.
func (f *File) Source() (gaussian.Source, bool) { return f.source, f.source != nil }

// Bounds returns the box around the centres or vertices in the coordinates of the file, or nil if
// there are none. It reads the whole file, except a compressed one, whose ranges are in memory. Too
// many broken Gaussians or vertices are an *input.Error.
func (f *File) Bounds(ctx context.Context) (*gaussian.Bounds, error) {
	var b box
	var err error
	switch s := f.source.(type) {
	case *compressedReader:
		b = s.bounds()
	case *splats:
		err = s.addPositions(ctx, &b)
	default:
		err = f.addVertices(ctx, &b)
	}
	if err != nil {
		return nil, err
	}
	if f.source == nil {
		return b.result(), checkVertices(f.name, b.broken.Invalid, b.count)
	}
	return b.result(), b.broken.Check(f.name, b.count)
}

// Broken returns the number of broken Gaussians, which are left out. It is known after
// Bounds or Source.Positions.
func (f *File) Broken() int64 {
	switch s := f.source.(type) {
	case *compressedReader:
		return s.broken.Load()
	case *splats:
		return s.broken.Load()
	}
	return 0
}

// Close closes the file that Open was given.
func (f *File) Close() error { return f.file.Close() }
