package spatial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"portico/cmd/portico/command"
	"portico/splat"
)

// InspectCommand is "portico inspect". It says what a file is.
type InspectCommand struct {
	spatialFlags
	File string `arg:"" help:"The file, or the manifest of a capture in a folder." type:"path"`
}

// inspection is what "portico inspect --json" prints last.
type inspection struct {
	Facts splat.Facts `json:"facts"`
	// Warnings are faults of the file that do not prevent showing it.
	Warnings []string `json:"warnings,omitempty"`
}

// Run inspects the file. A damaged file is an error, as it is for convert.
func (c *InspectCommand) Run(ctx context.Context, in *command.Invocation) error {
	p := command.NewProgress(in, c.JSON)
	return p.Finish(c.withMemoryLimit(ctx, in, "", func(ctx context.Context) error {
		capture, err := openCapture(ctx, c.File, splat.OpenOptions{}, p.Report)
		if err != nil {
			return err
		}
		err = capture.Measure(ctx)
		if err := errors.Join(err, capture.Close()); err != nil {
			return err
		}
		result := inspection{Facts: capture.Facts, Warnings: capture.Warnings}
		return p.PrintResult(result, result.print)
	}))
}

// print writes the facts of the file as a table for people. Texts of the file are safe on a
// terminal, because splat.Open limits their length and characters.
func (i inspection) print(w io.Writer) error {
	f := i.Facts
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	// row writes a row if the file has the fact. The values are evaluated even if it has not.
	row := func(name string, exists bool, format string, values ...any) {
		if exists {
			_, _ = fmt.Fprintf(table, name+"\t"+format+"\n", values...) // Flush returns the error
		}
	}
	row("format", true, "%s", strings.TrimSpace(string(f.Format)+" "+f.Version))
	row("splats", f.Splats > 0, "%d", f.Splats)
	row("left out", f.LeftOut > 0, "%d (broken)", f.LeftOut)
	row("levels", len(f.Levels) > 0, "%s", strings.Trim(fmt.Sprint(f.Levels), "[]"))
	row("harmonics", f.Splats > 0, "degree %d", f.Degree)
	row("model", f.Model != "", "%s", f.Model)
	row("environment", f.Environment > 0, "%d", f.Environment)
	// The facts of meshes and images.
	row("size", f.Width > 0, "%d x %d pixels", f.Width, f.Height)
	row("meshes", f.Meshes > 0, "%d", f.Meshes)
	row("vertices", f.Vertices > 0, "%d", f.Vertices)
	row("triangles", f.Triangles > 0, "%d", f.Triangles)
	row("materials", f.Materials > 0, "%d", f.Materials)
	row("instances", f.Instances > 0, "%d", f.Instances)
	row("animations", f.Animations > 0, "%d", f.Animations)
	row("extensions", len(f.Extensions) > 0, "%s", strings.Join(f.Extensions, ", "))
	if b := f.Bounds; b != nil {
		row("bounds", true, "%.4g %.4g %.4g to %.4g %.4g %.4g", b.Min[0], b.Min[1], b.Min[2], b.Max[0], b.Max[1], b.Max[2])
	}
	if o := f.Offset; o != nil {
		row("offset", true, "%g %g %g (subtracted)", o[0], o[1], o[2])
	}
	if v := f.SuggestedView; v != nil {
		row("view", true, "%.4g %.4g %.4g looking at %.4g %.4g %.4g", v.Position[0], v.Position[1], v.Position[2], v.Target[0], v.Target[1], v.Target[2])
	}
	if c := f.Collision; c != nil {
		row("collision", true, "%d meshes, %d vertices, %d triangles", c.Meshes, c.Vertices, c.Triangles)
	}
	for _, warning := range i.Warnings {
		row("warning", true, "%s", warning)
	}
	row("attribution", f.Attribution != "", "%s", f.Attribution)
	return table.Flush()
}
