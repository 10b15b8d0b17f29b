package splat

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"portico/splat/csv"
	"portico/splat/gltf"
	"portico/splat/ply"
	"portico/splat/spz"
)

// OutputFile is the file that WriteFile writes. Most formats need only Write. Compressed PLY
// and glTF have the parts of a Gaussian in several places, so they need WriteAt.
type OutputFile interface {
	io.Writer
	io.WriterAt
}

// WriteFile writes the Gaussians of the finest level, without the environment, as one file:
// FormatPLY, FormatCompressedPLY, FormatSPZ, FormatGLB or FormatCSV. The mesh of a PLY can be
// written as FormatGLB. WriteFile returns the same as
// WriteStreamedSOG. After an error the file is incomplete.
func (c *Capture) WriteFile(ctx context.Context, format Format, to OutputFile, o ConvertOptions) (Facts, []string, error) {
	if c.mesh != nil && format == FormatGLB {
		return c.writeMesh(ctx, to)
	}
	if err := c.mustHaveGaussians(); err != nil {
		return Facts{}, nil, err
	}
	progress := func(done, total int64) {
		if o.Progress != nil {
			o.Progress(100*float64(done)/float64(max(total, 1)), "Writing the file")
		}
	}
	// The facts start with what most formats can store. The writer of a format clears what it
	// cannot store, and exportWarnings compares the result with the capture.
	facts := Facts{Format: format, Model: c.Facts.Model, Attribution: c.Facts.Attribution, SuggestedView: c.view, Offset: c.Facts.Offset}
	var err error
	switch format {
	case FormatPLY, FormatCompressedPLY:
		err = c.writePLY(ctx, to, progress, &facts)
	case FormatSPZ:
		err = c.writeSPZ(ctx, to, o, progress, &facts)
	case FormatGLB:
		err = c.writeGLB(ctx, to, progress, &facts)
	case FormatCSV:
		err = c.writeCSV(ctx, to, progress, &facts)
	default:
		err = fmt.Errorf("write a file in the format %q", format)
	}
	if err != nil {
		return Facts{}, nil, err
	}
	return facts, c.exportWarnings(facts), nil
}

// writeMesh writes the mesh of a PLY as binary glTF, which viewers read.
func (c *Capture) writeMesh(ctx context.Context, to OutputFile) (Facts, []string, error) {
	m, err := c.mesh(ctx)
	if err != nil {
		return Facts{}, nil, err
	}
	bounds, err := gltf.WriteTriangles(to, m)
	return Facts{
		Format: FormatGLB, Version: "2.0", Meshes: 1, Vertices: int64(len(m.Positions) / 3), Triangles: int64(len(m.Indices) / 3),
		Bounds: &bounds, Offset: c.Facts.Offset,
	}, c.Warnings, err
}

// writePLY writes PLY, or compressed PLY if the facts have that format, and adds to the facts.
func (c *Capture) writePLY(ctx context.Context, to OutputFile, progress func(done, total int64), facts *Facts) error {
	options := ply.WriteOptions{Model: ply.Model(c.Facts.Model), Progress: progress}
	var w ply.Written
	var err error
	if facts.Format == FormatCompressedPLY {
		w, err = ply.WriteCompressed(ctx, c.source, to, options)
	} else {
		w, err = ply.Write(ctx, c.source, to, options)
	}
	if err != nil {
		return err
	}
	facts.Splats, facts.LeftOut, facts.Degree = w.Splats, w.Dropped, w.Degree
	facts.Bounds = &w.Bounds
	return nil
}

// writeGLB writes binary glTF and adds to the facts. The extension cannot store the model.
func (c *Capture) writeGLB(ctx context.Context, to OutputFile, progress func(done, total int64), facts *Facts) error {
	w, err := gltf.Write(ctx, c.source, to, progress)
	if err != nil {
		return err
	}
	facts.Version, facts.Splats, facts.LeftOut, facts.Degree = "2.0", w.Splats, w.Dropped, w.Degree
	facts.Bounds, facts.Model = &w.Bounds, ""
	facts.SuggestedView = c.view.inViewer()
	return nil
}

// writeCSV writes CSV and adds to the facts. A table cannot store the model.
func (c *Capture) writeCSV(ctx context.Context, to OutputFile, progress func(done, total int64), facts *Facts) error {
	w, err := csv.Write(ctx, c.source, to, progress)
	if err != nil {
		return err
	}
	facts.Splats, facts.LeftOut, facts.Degree, facts.Model = w.Splats, w.Dropped, c.source.Degree(), ""
	return nil
}

// writeSPZ writes SPZ and adds to the facts. The format cannot store that the Gaussians are discs.
func (c *Capture) writeSPZ(ctx context.Context, to OutputFile, o ConvertOptions, progress func(done, total int64), facts *Facts) error {
	w, err := spz.Write(ctx, c.source, to, spz.WriteOptions{
		Version: o.SPZVersion, Antialiased: c.Facts.Model == ModelAntialiased, Progress: progress,
	})
	if err != nil {
		return err
	}
	if facts.Model == Model2DGS {
		facts.Model = ""
	}
	facts.Version, facts.Splats, facts.LeftOut, facts.Degree = strconv.Itoa(w.Version), w.Splats, w.Dropped, w.Degree
	facts.SuggestedView = c.view.inSPZ()
	facts.Bounds = &w.Bounds
	return nil
}

// exportWarnings returns writtenWarnings, and a warning for each part of the capture that the
// written file cannot store.
func (c *Capture) exportWarnings(written Facts) []string {
	warnings := c.writtenWarnings(written.LeftOut)
	if written.Degree < c.source.Degree() {
		warnings = append(warnings, fmt.Sprintf("the harmonics above degree %d were left out", written.Degree))
	}
	if c.Facts.Environment > 0 {
		warnings = append(warnings, "the environment was left out: only streamed SOG can hold it")
	}
	if written.Model != c.Facts.Model {
		warnings = append(warnings, fmt.Sprintf("the format cannot say that the Gaussians are %s", c.Facts.Model))
	}
	return warnings
}
