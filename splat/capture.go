package splat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/gltf"
	"portico/splat/input"
	"portico/splat/sog"
)

// InputError is a fault in the user's file. Its text becomes the job's error.
type InputError = input.Error

// StreamedSOGName is the file name of every streamed SOG's manifest. Viewers
// recognise the format by it.
const StreamedSOGName = "lod-meta.json"

// Capture is an open file of any format. The caller closes it. It must not be used concurrently.
type Capture struct {
	// Facts are the facts that are known without reading the whole file. Measure adds the
	// others.
	Facts Facts
	// Warnings are sentences for the user about faults that reading corrected.
	Warnings []string

	// name is the name of the file in folder.
	name   string
	folder folder.Reader
	// options are the options of Open. A page opens the capture in it with their axes.
	options OpenOptions
	// source contains the Gaussians with the changes of Edit. It is nil for a file without
	// Gaussians.
	source gaussian.Source
	// view is the view that the file suggests, in the axes of the source. It is nil if the
	// file suggests none.
	view *View
	// up is the direction that the file declares as up, in the axes of the source; nil for none.
	up *[3]float64
	// normalised reports whether the trainer has scaled the capture, so that its unit is not the
	// metre.
	normalised bool
	// thumbnail is the name of the exporter's picture of the capture. The file may not exist.
	thumbnail string
	// triangles reads the exporter's collision mesh, in the axes of viewers. It is nil if
	// there is none.
	triangles func(ctx context.Context) (gltf.Triangles, error)
	// mesh reads the mesh of a PLY, in the axes of the file. It is nil for other files.
	mesh func(ctx context.Context) (gltf.Triangles, error)
	// fault is the reason why the Gaussians of a valid file cannot be read.
	fault error
	// held is the memory of the results of edits, in bytes.
	held int64
	// measure completes the facts. It is nil if they are complete.
	measure func(ctx context.Context, f *Facts) error
	// close closes the source and its files. It is nil if nothing is open.
	close func() error
}

// Open recognises a file by its content and checks it as far as possible without reading all of
// it. A fault in the file is an *InputError. A capture of several files is opened by the name of
// its manifest; the other files are in the same folder. A file of an unknown format is
// FormatOther.
func Open(ctx context.Context, files folder.Reader, name string) (*Capture, error) {
	return OpenOptions{}.Open(ctx, files, name)
}

// Open opens a file like the function Open, with these options. After an error nothing is open.
func (o OpenOptions) Open(ctx context.Context, files folder.Reader, name string) (*Capture, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	files = fetchedFiles{files}
	format, err := detect(ctx, files, name)
	if err != nil {
		return nil, err
	}
	c := &Capture{Facts: Facts{Format: format}, name: name, folder: files, options: o}
	open, ok := openers()[format]
	if !ok {
		return c, nil
	}
	if err := open(ctx, c); err != nil {
		return nil, err
	}
	// The view has the coordinates of the format, so this follows detect.
	if o.View != nil {
		c.Facts.SuggestedView, c.view = o.View, o.View.fromFile(c.Facts.Format)
	}
	if o.Up != nil {
		c.Facts.Up, c.up = o.Up, o.Up
	}
	c.Facts.sanitise()
	return c, nil
}

// Inspect opens a file, measures it and returns its complete facts.
func Inspect(ctx context.Context, files folder.Reader, name string) (facts Facts, err error) {
	c, err := Open(ctx, files, name)
	if err != nil {
		return Facts{}, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	err = c.Measure(ctx)
	return c.Facts, err
}

// Measure adds the facts that require reading the whole file, such as the bounds of a PLY. It also
// finds faults that Open does not. It takes as long as reading the file.
func (c *Capture) Measure(ctx context.Context) error {
	if c.measure == nil {
		return nil
	}
	return c.measure(ctx, &c.Facts)
}

// Held returns how much memory the results of Edit take until Close, in bytes. Changes that cannot
// be made while the file is read, such as decimation, keep their result in memory.
func (c *Capture) Held() int64 { return c.held }

// Close closes the files of the capture, but not the folder.
func (c *Capture) Close() error {
	if c.close == nil {
		return nil
	}
	return c.close()
}

// ConvertOptions are the options of a conversion. The zero value is ready to use.
type ConvertOptions struct {
	// Workers is the number of goroutines that compute; 0 means one per core.
	Workers int
	// Progress is called at least every few seconds with the percentage of the work that is done,
	// which never decreases, and with the name of the current step. It is not called
	// concurrently. It may be nil.
	Progress func(percent float64, message string)
	// SPZVersion is the version of SPZ that is written, 3 or 4; 0 means 4.
	SPZVersion int
	// Scratch is a folder for temporary files of streamed SOG; see sog.Options. "" means no
	// temporary files.
	Scratch string
	// Viewpoint is where a picture is taken from; nil shows the whole subject.
	Viewpoint *Viewpoint
}

// workers returns the number of goroutines that compute.
func (o ConvertOptions) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

func (o ConvertOptions) sogOptions(model Model) sog.Options {
	w := sog.Options{Workers: o.Workers, Scratch: o.Scratch, Model: sog.Model(model)}
	if o.Progress != nil {
		w.Progress = func(done, total int64, message string) {
			o.Progress(100*float64(done)/float64(max(total, 1)), message)
		}
	}
	return w
}

// WriteStreamedSOG writes the Gaussians of all levels and of the environment as a streamed SOG
// whose manifest is StreamedSOGName. It returns the facts of the result and the warnings. A file
// without Gaussians is an *InputError. After an error the files in the folder are incomplete. The
// source is read several times: once for the positions of each level, and then chunk by chunk.
func (c *Capture) WriteStreamedSOG(ctx context.Context, to folder.Writer, o ConvertOptions) (Facts, []string, error) {
	if err := c.mustHaveGaussians(); err != nil {
		return Facts{}, nil, err
	}
	written, err := sog.WriteStreamed(ctx, c.source, to, o.sogOptions(c.Facts.Model))
	if err != nil {
		return Facts{}, nil, err
	}
	facts := c.writtenFacts(FormatStreamedSOG, written)
	facts.Version, facts.Levels = "1", written.Levels
	return facts, c.writtenWarnings(facts.LeftOut), nil
}

// WriteSOG writes the Gaussians of the finest level as one .sog file. It returns the same as
// WriteStreamedSOG.
func (c *Capture) WriteSOG(ctx context.Context, to io.Writer, o ConvertOptions) (Facts, []string, error) {
	if err := c.mustHaveGaussians(); err != nil {
		return Facts{}, nil, err
	}
	written, err := sog.WriteBundle(ctx, c.source, to, o.sogOptions(c.Facts.Model))
	if err != nil {
		return Facts{}, nil, err
	}
	facts := c.writtenFacts(FormatSOG, written)
	facts.Version = "2"
	return facts, c.writtenWarnings(facts.LeftOut), nil
}

// mustHaveGaussians returns an *InputError for a file without Gaussians.
func (c *Capture) mustHaveGaussians() error {
	switch {
	case c.fault != nil:
		return c.fault
	case c.source == nil:
		return input.Errorf(c.name, "holds no Gaussians, so there is nothing to convert")
	}
	return nil
}

// writtenWarnings returns the warnings of the capture, and a warning about the broken Gaussians
// that the result lacks. It does not change the capture, which may be written again.
func (c *Capture) writtenWarnings(leftOut int64) []string {
	warnings := slices.Clone(c.Warnings)
	if leftOut > 0 {
		warnings = append(warnings, fmt.Sprintf("broken Gaussians were left out: %d", leftOut))
	}
	return warnings
}

// writtenFacts returns the facts of the result.
func (c *Capture) writtenFacts(format Format, written sog.Result) Facts {
	return Facts{
		Format: format, Splats: written.Levels[0], LeftOut: written.Dropped,
		Degree: written.Degree, Environment: written.Environment,
		Bounds: &Bounds{Min: written.Low, Max: written.High}, Attribution: c.Facts.Attribution,
		Model: c.Facts.Model, SuggestedView: c.view, Offset: c.Facts.Offset, Up: c.up,
	}
}
