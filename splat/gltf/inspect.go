package gltf

import (
	"context"
	"encoding/json"
	"path"
	"slices"

	"portico/splat/folder"
	"portico/splat/gaussian"
)

// Facts describes the content of a checked glTF file.
type Facts struct {
	// Binary reports whether the file is a GLB, whatever its name is.
	Binary bool
	// Version is the version of the format, such as "2.0".
	Version string
	// Nodes, Meshes, Primitives, Materials, Textures, Images and Animations count
	// the objects of each kind, used or not.
	Nodes, Meshes, Primitives, Materials, Textures, Images, Animations int
	// Vertices and Triangles count each mesh once, however many nodes use it. Vertices that
	// primitives share are counted once.
	Vertices, Triangles int64
	// Splats is the number of 3D Gaussians (KHR_gaussian_splatting). Vertices
	// includes them.
	Splats int64
	// Instances is how many times the default scene shows a mesh, if EXT_mesh_gpu_instancing repeats
	// one, and else 0.
	Instances int64
	// Bounds is the box around the default scene without animation. It is nil if there is no scene,
	// or if finding the box requires decoding.
	Bounds *gaussian.Bounds
	// ExtensionsUsed and ExtensionsRequired are sorted names. A viewer that does not support a
	// required extension must not show the file.
	ExtensionsUsed, ExtensionsRequired []string
	// Files are the sorted names of the files that the file loads.
	Files []string
}

// Uses reports whether the file names an extension, such as
// "KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_texture_basisu" or
// "KHR_gaussian_splatting".
func (f *Facts) Uses(extension string) bool {
	return slices.Contains(f.ExtensionsUsed, extension) || slices.Contains(f.ExtensionsRequired, extension)
}

// Inspect checks a glTF file, and that the folder contains all files that it names. A fault in
// the file is an *input.Error about name.
func Inspect(ctx context.Context, from folder.Reader, name string) (*Facts, error) {
	k, err := load(ctx, from, name)
	if err != nil {
		return nil, err
	}
	return k.facts(ctx)
}

// load reads and checks a glTF file. The order keeps the memory of a hostile file low: the size of
// the JSON is checked before it is read, and the number of objects before they are parsed.
func load(ctx context.Context, from folder.Reader, name string) (*checker, error) {
	c, err := read(ctx, from, name)
	if err != nil {
		return nil, err
	}
	d, err := parse(c.json, name)
	if err != nil {
		return nil, err
	}
	c.json = nil // releases up to 64 MiB while the document is checked
	k := &checker{
		document: d, content: c, name: name,
		files: &files{folder: from, base: path.Dir(name), name: name, sizes: map[string]int64{}},
	}
	if err := k.check(); err != nil {
		return nil, err
	}
	return k, k.checkData(ctx, k.files)
}

func (k *checker) facts(ctx context.Context) (f *Facts, err error) {
	d := k.document
	f = &Facts{
		Binary: k.content.glb, Version: d.Asset.Version,
		Nodes: len(d.Nodes), Meshes: len(d.Meshes), Materials: len(d.Materials),
		Textures: len(d.Textures), Images: len(d.Images), Animations: len(d.Animations),
		ExtensionsUsed: sortUnique(d.ExtensionsUsed), ExtensionsRequired: sortUnique(d.ExtensionsRequired),
		Files: k.files.names(),
	}
	f.count(d)
	if f.Instances, err = k.countInstances(ctx); err != nil {
		return nil, err
	}
	f.Bounds, err = k.bounds(ctx)
	return f, err
}

// sortUnique returns the names in order and without repetitions.
func sortUnique(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}

// Modes of primitives (section 5.24).
const (
	modeTriangles = 4
	modeStrip     = 5
	modeFan       = 6
)

// count counts the parts of all primitives, whose indices have been checked. The sums
// stay below 2^53, because there are at most 2^20 counts of 32 bits.
func (f *Facts) count(d *document) {
	seen := map[integer]bool{}
	for _, m := range d.Meshes {
		f.Primitives += len(m.Primitives)
		for _, p := range m.Primitives {
			if p.Attributes.Position == nil {
				continue
			}
			position := *p.Attributes.Position
			corners := int64(d.Accessors[position].Count)
			if p.isGaussian() {
				f.Splats += corners
			}
			// Primitives with different indices or materials often share their vertices.
			if !seen[position] {
				seen[position] = true
				f.Vertices += corners
			}
			if p.Indices != nil {
				corners = int64(d.Accessors[*p.Indices].Count)
			}
			f.Triangles += triangles(p.mode(), corners)
		}
	}
}

// triangles returns the number of triangles that a number of corners makes (section 3.7.2.1).
func triangles(mode integer, corners int64) int64 {
	switch mode {
	case modeTriangles:
		return corners / 3
	case modeStrip, modeFan:
		return max(corners-2, 0)
	default: // points and lines
		return 0
	}
}

// mode returns the mode of the primitive; the default is triangles.
func (p *primitive) mode() integer {
	if p.Mode == nil {
		return modeTriangles
	}
	return *p.Mode
}

// isPresent reports whether an object has a value other than null.
func isPresent(value json.RawMessage) bool { return len(value) > 0 && string(value) != "null" }

// isGaussian reports whether the vertices are 3D Gaussians.
func (p *primitive) isGaussian() bool {
	return isPresent(p.Extensions.Gaussians) || isPresent(p.Extensions.FirstDraft)
}
