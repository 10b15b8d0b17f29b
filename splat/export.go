package splat

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"portico/splat/csv"
	"portico/splat/gltf"
	"portico/splat/input"
	"portico/splat/ply"
	"portico/splat/spz"
)

// OutputFile is a file that is written in any order.
type OutputFile interface {
	io.Writer
	io.WriterAt
}

// WriteFile writes the Gaussians of the finest level, without an environment, as one
// file: FormatPLY, FormatCompressedPLY, FormatSPZ, FormatGLB or FormatCSV. It returns what
// WriteStreamedSOG does. After an error the file is incomplete.
func (c *Capture) WriteFile(ctx context.Context, format Format, to OutputFile, o ConvertOptions) (Facts, []string, error) {
	if err := c.mustHoldGaussians(); err != nil {
		return Facts{}, nil, err
	}
	progress := func(done, total int64) {
		if o.Progress != nil {
			o.Progress(100*float64(done)/float64(max(total, 1)), "writing the file")
		}
	}
	facts := Facts{Format: format, Model: c.Facts.Model, Attribution: c.Facts.Attribution, View: c.view}
	switch format {
	case FormatPLY, FormatCompressedPLY:
		options := ply.WriteOptions{Model: ply.Model(c.Facts.Model), Progress: progress}
		var w ply.Written
		var err error
		if format == FormatPLY {
			w, err = ply.Write(ctx, c.source, to, options)
		} else {
			w, err = ply.WriteCompressed(ctx, c.source, to, options)
		}
		if err != nil {
			return Facts{}, nil, err
		}
		facts.Splats, facts.LeftOut, facts.Degree = w.Splats, w.Dropped, w.Degree
		facts.Bounds = &Bounds{Min: w.Bounds.Min, Max: w.Bounds.Max}
	case FormatSPZ:
		if err := c.writeSPZ(ctx, to, o, progress, &facts); err != nil {
			return Facts{}, nil, err
		}
	case FormatGLB:
		w, err := gltf.Write(ctx, c.source, to, progress)
		if err != nil {
			return Facts{}, nil, err
		}
		facts.Version, facts.Splats, facts.LeftOut, facts.Degree = "2.0", w.Splats, w.Dropped, w.Degree
		facts.Bounds, facts.Model = &Bounds{Min: w.Bounds.Min, Max: w.Bounds.Max}, ""
		facts.View = c.view.inAxes([3]float64{-1, -1, 1})
	case FormatCSV:
		w, err := csv.Write(ctx, c.source, to, progress)
		if err != nil {
			return Facts{}, nil, err
		}
		facts.Splats, facts.LeftOut, facts.Degree, facts.Model = w.Splats, w.Dropped, c.source.Degree(), ""
	default:
		return Facts{}, nil, fmt.Errorf("write a file in the format %q", format)
	}
	return facts, c.exportWarnings(facts), nil
}

// writeSPZ writes SPZ and adds to the facts. The format has no place for discs.
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
	facts.View = c.view.inAxes([3]float64{1, -1, -1})
	facts.Bounds = &Bounds{Min: w.Bounds.Min, Max: w.Bounds.Max}
	return nil
}

// exportWarnings returns the warnings about a file: what it could not hold.
func (c *Capture) exportWarnings(made Facts) []string {
	warnings := c.Warnings
	if made.LeftOut > 0 {
		warnings = append(warnings, fmt.Sprintf("%d broken splats were left out", made.LeftOut))
	}
	if made.Degree < c.source.Degree() {
		warnings = append(warnings, fmt.Sprintf("the harmonics above degree %d were left out", made.Degree))
	}
	if c.Facts.Environment > 0 {
		warnings = append(warnings, "the environment was left out: only streamed SOG can hold it")
	}
	if made.Model != c.Facts.Model {
		warnings = append(warnings, fmt.Sprintf("the format cannot say that the splats are %s", c.Facts.Model))
	}
	return warnings
}

// OpenOptions are the options of opening a file. The zero value is ready to use.
type OpenOptions struct {
	// SPZAxes are the axes of an SPZ file, such as "RDF" for right, down, front. Empty
	// means the axes that the file names, or up to version 4 its default, "RUB". PlayCanvas'
	// tools write RDF without naming it.
	SPZAxes string
}

// check returns an error for options that are not valid.
func (o OpenOptions) check() error {
	if o.SPZAxes != "" && !spz.Axes(o.SPZAxes).IsValid() {
		return input.Errorf("", "The axes %s of SPZ are none; RUB and RDF are examples", input.Quote(o.SPZAxes))
	}
	return nil
}
