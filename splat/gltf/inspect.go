package gltf

import (
	"context"
	"path"
	"slices"

	"portico/splat/folder"
)

// Facts is what a glTF file says of itself, once it has been checked.
type Facts struct {
	// Binary tells a .glb from a .gltf, whatever its name.
	Binary bool
	// Version is that of the format, such as "2.0".
	Version string
	// Nodes, Meshes, Primitives, Materials, Textures, Images and Animations
	// count what is defined, used or not.
	Nodes, Meshes, Primitives, Materials, Textures, Images, Animations int
	// Vertices and Triangles count those of all meshes once, however often nodes
	// place them. Vertices that primitives share count once.
	Vertices, Triangles int64
	// Splats is the number of 3D Gaussians (KHR_gaussian_splatting), which are
	// among the vertices too.
	Splats int64
	// Bounds is the box around the default scene at rest; nil where there is no
	// scene or it cannot be known without decoding.
	Bounds *Bounds
	// ExtensionsUsed and ExtensionsRequired name extensions, sorted; without the
	// required ones a viewer must not show the file.
	ExtensionsUsed, ExtensionsRequired []string
	// Files names the files of the folder that the file loads, sorted.
	Files []string
}

// Bounds is an axis-aligned box, y up, in metres.
type Bounds struct {
	Min [3]float64
	Max [3]float64
}

// Uses tells whether the file names an extension, such as
// "KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_texture_basisu" or
// "KHR_gaussian_splatting".
func (f *Facts) Uses(extension string) bool {
	return slices.Contains(f.ExtensionsUsed, extension) || slices.Contains(f.ExtensionsRequired, extension)
}

// Inspect checks the glTF file with a name in a folder, and that the files it names
// are in the folder too. What is wrong with it is an *input.Error that names it.
func Inspect(ctx context.Context, from folder.Reader, name string) (*Facts, error) {
	c, err := read(ctx, from, name)
	if err != nil {
		return nil, err
	}
	d, err := parse(c.json, name)
	if err != nil {
		return nil, err
	}
	c.json = nil // up to 64 MiB that are not needed any more
	k := &checker{document: d, content: c, name: name}
	if err := k.check(); err != nil {
		return nil, err
	}
	files := &files{folder: from, base: path.Dir(name), name: name, sizes: map[string]int64{}}
	if err := k.checkData(ctx, files); err != nil {
		return nil, err
	}
	f := &Facts{
		Binary: c.glb, Version: d.Asset.Version,
		Nodes: len(d.Nodes), Meshes: len(d.Meshes), Materials: len(d.Materials),
		Textures: len(d.Textures), Images: len(d.Images), Animations: len(d.Animations),
		ExtensionsUsed: sorted(d.ExtensionsUsed), ExtensionsRequired: sorted(d.ExtensionsRequired),
		Files: files.names(),
	}
	f.count(d)
	f.Bounds, err = k.bounds(ctx)
	return f, err
}

// sorted returns the names without repetitions.
func sorted(names []string) []string {
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

// count counts what the primitives are made of. Everything has been checked; the
// sums stay below 2^53, because there are at most 2^20 counts of 32 bits.
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

// triangles returns how many triangles so many corners make (section 3.7.2.1).
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

// mode returns the mode, which is triangles where none is written.
func (p *primitive) mode() integer {
	if p.Mode == nil {
		return modeTriangles
	}
	return *p.Mode
}

// isGaussian tells whether the vertices are 3D Gaussians.
func (p *primitive) isGaussian() bool {
	return len(p.Extensions.Gaussians) > 0 && string(p.Extensions.Gaussians) != "null"
}
