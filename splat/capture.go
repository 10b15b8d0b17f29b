package splat

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/picture"
	"portico/splat/sog"
)

// InputError is a fault in the user's file. Its text becomes the job's error.
type InputError = input.Error

// StreamedSOGName is what the manifest of a streamed SOG must be called: viewers
// know the format by it.
const StreamedSOGName = "lod-meta.json"

// Capture is an opened file of any format. Close it when it is not needed any
// more.
type Capture struct {
	// Facts is what the file says of itself without being read as a whole;
	// Measure adds what takes longer.
	Facts Facts
	// Warnings are sentences for the user: what is wrong with the file and could
	// be put right.
	Warnings []string

	name   string
	folder folder.Reader
	source gaussian.Source // nil where the file holds no Gaussians
	// measure completes the facts; nil where they are complete.
	measure func(ctx context.Context, f *Facts) error
	// warnings tells of what came to light while the source was read; may be nil.
	warnings func() []string
	close    func() error // may be nil
}

// Open recognises a file by its content and checks what can be checked without
// reading all of it. What is wrong with it is an *InputError. A capture of several
// files is opened by its manifest; the others must be in the same folder. A file
// of no format that is known is FormatOther.
func Open(ctx context.Context, files folder.Reader, name string) (*Capture, error) {
	format, err := detect(ctx, files, name)
	if err != nil {
		return nil, err
	}
	c := &Capture{Facts: Facts{Format: format}, name: name, folder: files}
	open, ok := openers()[format]
	if !ok {
		return c, nil
	}
	if err := open(ctx, c); err != nil {
		return nil, err
	}
	c.Facts.tidy()
	return c, nil
}

// Inspect opens a file, reads what takes longer, and returns all that it says of
// itself.
func Inspect(ctx context.Context, files folder.Reader, name string) (facts Facts, err error) {
	c, err := Open(ctx, files, name)
	if err != nil {
		return Facts{}, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	err = c.Measure(ctx)
	return c.Facts, err
}

// Measure adds the facts that take reading the whole file, such as the bounds of
// a PLY, and so finds more of what may be wrong with it.
func (c *Capture) Measure(ctx context.Context) error {
	if c.measure == nil {
		return nil
	}
	err := c.measure(ctx, &c.Facts)
	c.warn()
	return err
}

// warn takes over what came to light while the source was read.
func (c *Capture) warn() {
	if c.warnings != nil {
		c.Warnings = c.warnings()
	}
}

// Close closes what the capture has opened; the folder is the caller's.
func (c *Capture) Close() error {
	if c.close == nil {
		return nil
	}
	return c.close()
}

// Picture draws Gaussians in a picture of this size, or makes an image fit into
// it. There is none of other files, which is an *InputError.
func (c *Capture) Picture(ctx context.Context, size image.Point) (image.Image, error) {
	if c.source == nil {
		return c.resize(ctx, size)
	}
	cloud, err := picture.Select(ctx, c.source)
	if err != nil {
		return nil, err
	}
	return picture.Render(ctx, cloud, picture.Options{Width: size.X, Height: size.Y})
}

// resize makes an image fit.
func (c *Capture) resize(ctx context.Context, size image.Point) (image.Image, error) {
	switch c.Facts.Format {
	case FormatJPEG, FormatPNG, FormatGIF, FormatWebP:
	default:
		return nil, input.Errorf(c.name, "holds neither splats nor an image to make a picture of")
	}
	file, err := c.folder.Open(ctx, c.name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // read only
	return picture.Resize(ctx, file, size.X, size.Y)
}

// ConvertOptions says how a capture is converted. The zero value is right.
type ConvertOptions struct {
	// Workers is how many goroutines compute; 0 for one on each core.
	Workers int
	// Progress is told how far the work has come, 0 to 100, and what is being
	// done, at least every few seconds. The percentage never falls. It is called
	// by one goroutine at a time and may be nil.
	Progress func(percent float64, message string)
}

// writer returns the options of package sog.
func (o ConvertOptions) writer() sog.Options {
	w := sog.Options{Workers: o.Workers}
	if o.Progress != nil {
		w.Progress = func(done, total int64, message string) {
			o.Progress(100*float64(done)/float64(max(total, 1)), message)
		}
	}
	return w
}

// WriteStreamedSOG writes the Gaussians, in all their levels and with their
// environment, as a streamed SOG whose manifest is StreamedSOGName, and returns
// what it says of itself. A file without Gaussians is an *InputError. After an
// error what is in the folder is of no use.
func (c *Capture) WriteStreamedSOG(ctx context.Context, to folder.Writer, o ConvertOptions) (Facts, []string, error) {
	if err := c.mustHoldGaussians(); err != nil {
		return Facts{}, nil, err
	}
	written, err := sog.WriteStreamed(ctx, c.source, to, o.writer())
	if err != nil {
		return Facts{}, nil, err
	}
	facts := c.made(FormatStreamedSOG, written)
	facts.Version, facts.Levels = "1", written.Levels
	return facts, c.Warnings, nil
}

// WriteSOG writes the Gaussians of the finest level as one .sog file.
func (c *Capture) WriteSOG(ctx context.Context, to io.Writer, o ConvertOptions) (Facts, []string, error) {
	if err := c.mustHoldGaussians(); err != nil {
		return Facts{}, nil, err
	}
	written, err := sog.WriteBundle(ctx, c.source, to, o.writer())
	if err != nil {
		return Facts{}, nil, err
	}
	facts := c.made(FormatSOG, written)
	facts.Version = "2"
	return facts, c.Warnings, nil
}

func (c *Capture) mustHoldGaussians() error {
	if c.source == nil {
		return input.Errorf(c.name, "holds no splats to convert")
	}
	return nil
}

// made returns the facts of what was written, and completes the warnings.
func (c *Capture) made(format Format, written sog.Result) Facts {
	c.warn()
	if written.Dropped > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d splats without a position were left out", written.Dropped))
	}
	return Facts{
		Format: format, Splats: written.Levels[0], Degree: written.Degree, Environment: written.Environment,
		Bounds: &Bounds{Min: written.Low, Max: written.High}, Attribution: c.Facts.Attribution,
	}
}

// EncodeJPEG writes a picture as JPEG; what is transparent becomes black.
func EncodeJPEG(w io.Writer, drawn image.Image) error { return picture.EncodeJPEG(w, drawn) }
