package lcc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
)

// degree is the degree of the harmonics in shcoef.bin. The format has no other.
const degree = 3

// Files beside the manifest.
const (
	dataName        = "data.bin"
	harmonicsName   = "shcoef.bin"
	environmentName = "environment.bin"
)

// Facts describes the content of a capture.
type Facts struct {
	// Version is the version of the format, such as "5.0", or "" if it is unknown.
	Version string
	// Levels is the number of splats of each level, the finest first, without empty
	// levels.
	Levels []int64
	// Degree is the degree of the harmonics, 0 or 3.
	Degree int
	// Environment is the number of splats around the capture.
	Environment int64
	// Min and Max are the corners of the bounding box without the environment, in
	// metres with z up, as in the file.
	Min, Max [3]float64
	// Start is where to start and where to look. It is nil if the exporter wrote none.
	Start *Start
	// Collision describes the collision meshes. It is nil if they have no triangles.
	// CollisionFault is the reason why their file cannot be read; nil means no fault.
	Collision      *Collision
	CollisionFault *input.Error
}

// Capture is an open LCC v1 capture. It implements gaussian.Source, is safe for concurrent use,
// and converts z up to y down. Colours and opacities are exact: (C0*f_dc + 0.5) * 255, rounded,
// is the byte of the file, and an opacity is its byte divided by 255.
type Capture struct {
	manifest *manifest
	levels   []level
	// harmonics and environment are nil if the capture has none.
	data, harmonics, environment folder.File
	// The levels and the environment have different ranges, so each has its own decoder.
	decoder, environmentDecoder *decoder
	environmentCount            int
	// upright rotates Gaussians from z up to y down.
	upright *gaussian.Rotation
	// start, collision and collisionFault are the values for Facts.
	start          *Start
	collision      *Collision
	collisionFault *input.Error
	// readers contains the *reader values that no Read is using.
	readers sync.Pool
}

var _ gaussian.Source = (*Capture)(nil)

// Open opens the capture with the given manifest and checks everything except the records of
// the splats. A fault of the capture is an *input.Error. The context also applies to later
// reads if the folder's files use it.
func Open(ctx context.Context, files folder.Reader, manifest string) (*Capture, error) {
	m, err := readManifest(ctx, files, manifest)
	if err != nil {
		return nil, err
	}
	// +90 degrees about x: (x, y, z) becomes (x, -z, y).
	c := &Capture{manifest: m, upright: gaussian.NewRotation([4]float32{math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2})}
	if err := c.open(ctx, files, manifest); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// open opens and reads the other files after the manifest. Close closes the files that it has
// opened, even after an error.
//
// The order matters. The manifest says which files must exist and what their values mean, and the
// sizes of the data say how far the index may reach.
func (c *Capture) open(ctx context.Context, files folder.Reader, manifest string) error {
	if err := c.openFiles(ctx, files); err != nil {
		return err
	}
	if err := c.setDecoders(manifest); err != nil {
		return err
	}
	if err := c.countEnvironment(); err != nil {
		return err
	}
	// Every record of data.bin has its harmonics at twice its offset in shcoef.bin, so the
	// shorter of the two files decides how many records can be read.
	limit := c.data.Size()
	if c.harmonics != nil {
		limit = min(limit, c.harmonics.Size()/(harmonicsSize/recordSize))
	}
	var err error
	if c.levels, err = readIndex(ctx, files, c.manifest, limit); err != nil {
		return err
	}
	if c.start, err = readStart(ctx, files); err != nil {
		return err
	}
	c.collision, c.collisionFault, err = readCollision(ctx, files)
	return err
}

// openFiles opens the files of the capture. Old manifests have no fileType: such a capture has
// harmonics if the manifest has their range and the file exists.
func (c *Capture) openFiles(ctx context.Context, files folder.Reader) error {
	var err error
	if c.data, err = open(ctx, files, dataName); err != nil {
		return err
	}
	switch {
	case c.manifest.FileType == "Quality":
		c.harmonics, err = openOptional(ctx, files, harmonicsName)
		if c.harmonics == nil && err == nil {
			err = input.Errorf(harmonicsName, "is missing, and the manifest says that the capture has harmonics (fileType Quality)").
				Advise("Upload the whole folder of the capture, or export it as Portable")
		}
	case c.manifest.FileType == "" && c.manifest.hasAttribute("shcoef"):
		c.harmonics, err = openOptional(ctx, files, harmonicsName)
	}
	if err != nil {
		return err
	}
	c.environment, err = openOptional(ctx, files, environmentName)
	return err
}

// setDecoders sets the decoders from the ranges in the manifest. If the manifest has no ranges
// for the environment, the ranges of the levels apply to it.
func (c *Capture) setDecoders(manifest string) error {
	var err error
	if c.decoder, err = c.newDecoder(manifest, []string{"scale"}, []string{"shcoef"}); err != nil || c.environment == nil {
		return err
	}
	c.environmentDecoder, err = c.newDecoder(manifest, []string{"envscale", "scale"}, []string{"envshcoef", "shcoef"})
	return err
}

// newDecoder returns a decoder with the ranges of the first of the given attributes
// that the manifest has.
func (c *Capture) newDecoder(manifest string, scale, harmonics []string) (*decoder, error) {
	scales, err := c.manifest.interval(manifest, scale...)
	if err != nil {
		return nil, err
	}
	d := newDecoder(scales)
	if c.harmonics != nil {
		coefficients, err := c.manifest.interval(manifest, harmonics...)
		if err != nil {
			return nil, err
		}
		d.setHarmonics(coefficients)
	}
	return d, nil
}

// Facts returns what Open found in the capture.
func (c *Capture) Facts() Facts {
	f := Facts{
		Version: c.manifest.version(), Degree: c.Degree(), Environment: int64(c.environmentCount),
		Min: [3]float64(c.manifest.BoundingBox.Min), Max: [3]float64(c.manifest.BoundingBox.Max),
		Start: c.start, Collision: c.collision, CollisionFault: c.collisionFault,
	}
	for _, n := range c.Levels() {
		f.Levels = append(f.Levels, int64(n))
	}
	return f
}

// Levels implements gaussian.Source. There is at least one level, and none is empty.
func (c *Capture) Levels() []int {
	counts := make([]int, len(c.levels))
	for i, l := range c.levels {
		counts[i] = int(l.count)
	}
	return counts
}

// Degree implements gaussian.Source: 0 or 3.
func (c *Capture) Degree() int {
	if c.harmonics == nil {
		return 0
	}
	return degree
}

func (c *Capture) level(n int) (*level, error) {
	if n < 0 || n >= len(c.levels) {
		return nil, fmt.Errorf("read level %d of %d", n, len(c.levels))
	}
	return &c.levels[n], nil
}

// Close implements gaussian.Source.
func (c *Capture) Close() error {
	var all []error
	for _, f := range slices.DeleteFunc([]folder.File{c.data, c.harmonics, c.environment}, func(f folder.File) bool { return f == nil }) {
		all = append(all, f.Close())
	}
	return errors.Join(all...)
}
