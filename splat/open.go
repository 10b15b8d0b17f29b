package splat

import (
	"context"
	"errors"
	"path"
	"slices"
	"strconv"

	"portico/splat/folder"
	"portico/splat/gltf"
	"portico/splat/input"
	"portico/splat/ksplat"
	"portico/splat/lcc"
	"portico/splat/lcc2"
	"portico/splat/picture"
	"portico/splat/ply"
	"portico/splat/records"
	"portico/splat/sog"
	"portico/splat/splatfile"
	"portico/splat/spz"
)

// openers maps each format that Open recognises, except FormatOther, to the function that opens
// it. The function receives a capture with its format, name and folder, and sets all other
// fields. After an error no file is open.
func openers() map[Format]func(context.Context, *Capture) error {
	return map[Format]func(context.Context, *Capture) error{
		FormatLCC: openLCC, FormatLCC2: openLCC2, FormatSOG: openSOG, FormatStreamedSOG: openSOGManifest,
		FormatSPZ: openFile(openSPZ), FormatPLY: openFile(openPLY),
		FormatSplat: openFile(openSplat), FormatKSplat: openFile(openKSplat),
		FormatGLB: openGLTF, FormatGLTF: openGLTF, FormatHTML: openFile(openHTML),
		FormatJPEG: openImage, FormatPNG: openImage, FormatGIF: openImage, FormatWebP: openImage,
	}
}

// openFile returns an opener for a format that is a single file. The reader of the
// format closes the file; after an error openFile does.
func openFile(open func(context.Context, *Capture, folder.File) error) func(context.Context, *Capture) error {
	return func(ctx context.Context, c *Capture) error {
		file, err := c.folder.Open(ctx, c.name)
		if err != nil {
			return err
		}
		if err := open(ctx, c, file); err != nil {
			return errors.Join(err, file.Close())
		}
		return nil
	}
}

// openLCC opens LCC v1. The bounds come from the manifest and have its axes: z is up.
func openLCC(ctx context.Context, c *Capture) error {
	opened, err := lcc.Open(ctx, c.folder, c.name)
	if err != nil {
		return err
	}
	f := opened.Facts()
	c.source, c.close = opened, opened.Close
	c.thumbnail = path.Join(path.Dir(c.name), lcc.ThumbnailName)
	c.Facts.Version, c.Facts.Levels, c.Facts.Splats = f.Version, f.Levels, f.Levels[0]
	c.Facts.Degree, c.Facts.Environment = f.Degree, f.Environment
	c.Facts.Bounds = &Bounds{Min: f.Min, Max: f.Max}
	c.Facts.Attribution = AttributionXGRIDS
	if s := f.Start; s != nil {
		c.Facts.SuggestedView = &View{Position: s.Position, Target: s.Target}
		c.view = c.Facts.SuggestedView.fromFile(FormatLCC)
	}
	if m := f.Collision; m != nil {
		c.Facts.Collision = &Collision{Meshes: m.Meshes, Vertices: m.Vertices, Triangles: m.Triangles}
		c.triangles = func(ctx context.Context) (gltf.Triangles, error) {
			positions, indices, err := opened.CollisionMesh(ctx, c.folder)
			// This is the rotation of the Gaussians (see upright), and then half a turn about z to
			// the axes of viewers (see inViewer).
			for i := 0; i < len(positions); i += 3 { // z up becomes y up
				p := positions[i : i+3]
				p[0], p[1], p[2] = -p[0], p[2], p[1]
			}
			return gltf.Triangles{Positions: positions, Indices: indices}, err
		}
	}
	if f.CollisionFault != nil {
		c.Warnings = append(c.Warnings, f.CollisionFault.Error())
	}
	return nil
}

// openLCC2 opens LCC2. The counts come from the manifest. Whether the tiles have these
// Gaussians is checked when they are read.
func openLCC2(ctx context.Context, c *Capture) error {
	opened, err := lcc2.Open(ctx, c.folder, c.name)
	if err != nil {
		return err
	}
	c.source, c.close = opened, opened.Close
	c.Facts.Version, c.Facts.Degree, c.Facts.Environment = opened.Version, opened.Degree(), int64(opened.EnvironmentCount())
	c.setLevels(opened.Levels())
	if opened.Min != nil {
		c.Facts.Bounds = &Bounds{Min: *opened.Min, Max: *opened.Max}
	}
	c.Facts.Attribution = AttributionXGRIDS
	return nil
}

// setLevels sets the counts of all levels of detail, the finest first. There is at
// least one: every reader refuses a capture without levels.
func (c *Capture) setLevels(counts []int) {
	for _, n := range counts {
		c.Facts.Levels = append(c.Facts.Levels, int64(n))
	}
	c.Facts.Splats = c.Facts.Levels[0]
}

// openSOG opens a bundle or a meta.json, depending on the extension, as in detect.
func openSOG(ctx context.Context, c *Capture) error {
	if input.HasExtension(c.name, ".sog") {
		return openFile(func(ctx context.Context, c *Capture, file folder.File) error {
			opened, err := sog.OpenBundle(ctx, file, c.name)
			return setSOG(c, opened, err)
		})(ctx, c)
	}
	return openSOGManifest(ctx, c)
}

// openSOGManifest opens a meta.json or a lod-meta.json. Package sog distinguishes
// them.
func openSOGManifest(ctx context.Context, c *Capture) error {
	opened, err := sog.Open(ctx, c.folder, c.name)
	return setSOG(c, opened, err)
}

// setSOG sets the fields from an open SOG, or returns the error of opening it. Package sog has
// checked only one chunk. Measure checks all chunks, because there may be thousands.
func setSOG(c *Capture, opened *sog.Reader, err error) error {
	if err != nil {
		return err
	}
	c.source, c.close = opened, opened.Close
	c.measure = func(ctx context.Context, f *Facts) (err error) {
		f.Bounds, err = opened.Check(ctx)
		return err
	}
	c.Facts.Version, c.Facts.Degree, c.Facts.Model = strconv.Itoa(opened.Version()), opened.Degree(), Model(opened.Model())
	c.Facts.Splats, c.Facts.Environment = int64(opened.Levels()[0]), int64(opened.EnvironmentCount())
	if opened.Streamed() {
		c.setLevels(opened.Levels())
	}
	if low, high, ok := opened.Bounds(); ok {
		c.Facts.Bounds = &Bounds{Min: low, Max: high}
	}
	return nil
}

// openSPZ opens SPZ. The bounds require decoding all positions, so Measure adds them.
func openSPZ(ctx context.Context, c *Capture, file folder.File) error {
	opened, err := spz.Options{Axes: spz.Axes(c.options.SPZAxes)}.Open(ctx, file, c.name)
	if err != nil {
		return err
	}
	f := opened.Facts()
	c.source, c.close = opened, opened.Close
	c.Facts.Version, c.Facts.Splats, c.Facts.Degree = strconv.Itoa(f.Version), f.Splats, f.Degree
	if f.Antialiased {
		c.Facts.Model = ModelAntialiased
	}
	c.measure = func(ctx context.Context, f *Facts) error {
		box, err := opened.Bounds(ctx)
		f.Bounds, f.LeftOut = box, opened.Broken()
		return err
	}
	return nil
}

func openSplat(_ context.Context, c *Capture, file folder.File) error {
	opened, err := splatfile.Open(file, c.name)
	if err != nil {
		return err
	}
	c.setRecords(opened)
	return nil
}

func openKSplat(_ context.Context, c *Capture, file folder.File) error {
	opened, err := ksplat.Open(file, c.name)
	if err != nil {
		return err
	}
	c.setRecords(opened.Source)
	c.Facts.Version = opened.Version
	return nil
}

// setRecords sets the fields from a file of records. The bounds require decoding all
// positions, so Measure adds them.
func (c *Capture) setRecords(opened *records.Source) {
	c.source, c.close = opened, opened.Close
	c.Facts.Splats, c.Facts.Degree = int64(opened.Levels()[0]), opened.Degree()
	c.measure = func(ctx context.Context, f *Facts) error {
		box, err := opened.Bounds(ctx)
		f.Bounds, f.LeftOut = box, opened.Broken()
		return err
	}
}

// openPLY opens PLY and sets the format to the kind of PLY that the header describes. A PLY
// without Gaussians has no source, so it is neither converted nor drawn.
func openPLY(ctx context.Context, c *Capture, file folder.File) error {
	opened, err := ply.Open(ctx, file, c.name)
	if err != nil {
		return err
	}
	f := opened.Facts()
	c.close = opened.Close
	c.measure = func(ctx context.Context, facts *Facts) error { return measurePLY(ctx, opened, facts) }
	if source, ok := opened.Source(); ok {
		c.source = source
		c.Facts.Splats, c.Facts.Degree, c.Facts.Model = f.Vertices, f.Degree, Model(f.Model)
		c.setOffset(f.Offset)
		c.Facts.Up, c.up, c.normalised = f.Up, f.Up, f.Normalised
		if f.Kind == ply.Compressed {
			c.Facts.Format = FormatCompressedPLY
		}
		return nil
	}
	c.Facts.Format, c.Facts.Vertices = FormatMeshPLY, f.Vertices
	if f.Kind == ply.Mesh {
		c.Facts.Meshes = 1
		c.mesh = func(ctx context.Context) (gltf.Triangles, error) {
			m, err := opened.Mesh(ctx)
			if err != nil {
				return gltf.Triangles{}, err
			}
			c.setOffset(opened.Facts().Offset)
			if m.Colours == nil {
				// With colours, a mesh has a material that shows both sides of its faces.
				m.Colours = slices.Repeat([]float32{1}, len(m.Positions))
			}
			return gltf.Triangles{Positions: m.Positions, Indices: m.Indices, Colours: m.Colours}, nil
		}
	}
	return nil
}

// setOffset sets the offset in the facts, unless it is zero.
func (c *Capture) setOffset(offset [3]float64) {
	if offset != [3]float64{} {
		c.Facts.Offset = &offset
	}
}

// measurePLY reads the file and adds its bounds and the triangles of a mesh.
func measurePLY(ctx context.Context, opened *ply.File, facts *Facts) error {
	box, err := opened.Bounds(ctx)
	if err != nil {
		return err
	}
	facts.Bounds, facts.LeftOut = box, opened.Broken()
	if facts.Meshes > 0 {
		facts.Triangles, err = opened.Triangles(ctx)
	}
	return err
}

// openImage reads the size of an image from its header. It closes the file; Pictures opens it
// again.
func openImage(ctx context.Context, c *Capture) error {
	file, err := c.folder.Open(ctx, c.name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	format, width, height, err := picture.Inspect(file)
	c.Facts.Format, c.Facts.Width, c.Facts.Height = Format(format), width, height
	return err
}

// openGLTF opens a glTF file. Gaussians (KHR_gaussian_splatting) can be drawn and converted,
// and meshes cannot.
func openGLTF(ctx context.Context, c *Capture) error {
	opened, err := gltf.Open(ctx, c.folder, c.name)
	if err != nil {
		return err
	}
	f := opened.Facts
	c.close, c.fault = opened.Close, opened.Fault
	if opened.HasGaussians() {
		c.source, c.Facts.Degree = opened, opened.Degree()
		c.measure = func(ctx context.Context, facts *Facts) error {
			err := opened.Positions(ctx, 0, make([]float32, 3*opened.Levels()[0]), nil)
			facts.LeftOut = opened.Broken()
			return err
		}
	}
	c.Facts.Version, c.Facts.Splats = f.Version, f.Splats
	c.Facts.Meshes, c.Facts.Materials, c.Facts.Animations = f.Meshes, f.Materials, f.Animations
	c.Facts.Vertices, c.Facts.Triangles, c.Facts.Instances = f.Vertices, f.Triangles, f.Instances
	c.setOffset(opened.Offset)
	c.Facts.Extensions = f.ExtensionsUsed
	c.Facts.Bounds = f.Bounds
	return nil
}
