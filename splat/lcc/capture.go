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
)

// degree is that of the harmonics in shcoef.bin: the format knows no other.
const degree = 3

// Files beside the manifest.
const (
	dataName        = "data.bin"
	harmonicsName   = "shcoef.bin"
	environmentName = "environment.bin"
)

// Facts is what a capture says of itself.
type Facts struct {
	// Version is the exporter's, "5.0"; "" where it is unknown.
	Version string
	// Levels is the number of splats of each level, the finest first. Levels
	// without any are left out.
	Levels []int64
	// Degree is that of the harmonics, 0 or 3.
	Degree int
	// Environment is the number of splats around the capture.
	Environment int64
	// Min and Max are the bounding box in the file's own coordinates: metres, z
	// up, without the environment.
	Min, Max [3]float64
}

// Capture is an LCC v1 capture. It implements gaussian.Source, in whose
// coordinates its splats are: the file's z up became y down. A colour is the
// byte of the file in full, (C0*f_dc + 0.5) * 255 rounded, and an opacity is the
// byte divided by 255.
type Capture struct {
	manifest *manifest
	levels   []level
	// harmonics and environment are nil where the capture has none.
	data, harmonics, environment folder.File
	// decoder is that of the levels, around that of the environment, whose
	// ranges differ.
	decoder, around  *decoder
	environmentCount int
	// upright turns what is read from z up to y down.
	upright *gaussian.Rotation
	// readers holds *reader values that no Read uses at present.
	readers sync.Pool

	mutex sync.Mutex
	// hidden is how many splats of each level had no finite position, as far as
	// Positions has looked.
	hidden map[int]int
}

var _ gaussian.Source = (*Capture)(nil)

// Open opens the capture with this manifest and checks it, but for the records
// of its splats. What is wrong with it is an *input.Error. The context is also
// that of later reads where the folder says so.
func Open(ctx context.Context, files folder.Reader, manifest string) (*Capture, error) {
	m, err := readManifest(ctx, files, manifest)
	if err != nil {
		return nil, err
	}
	// +90 degrees about x, which turns (x, y, z) into (x, -z, y).
	c := &Capture{manifest: m, upright: gaussian.NewRotation([4]float32{math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2}), hidden: map[int]int{}}
	if err := c.open(ctx, files, manifest); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// open does what Open does once the manifest is read. Files that it has opened
// are left to Close, also where it fails.
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
	limit := c.data.Size()
	if c.harmonics != nil {
		limit = min(limit, c.harmonics.Size()/(harmonicsSize/recordSize))
	}
	var err error
	c.levels, err = readIndex(ctx, files, c.manifest, limit)
	return err
}

// openFiles opens what the capture has. Where an old manifest does not tell
// whether there are harmonics, there are if it has their range and their file
// exists.
func (c *Capture) openFiles(ctx context.Context, files folder.Reader) error {
	var err error
	if c.data, err = open(ctx, files, dataName); err != nil {
		return err
	}
	switch {
	case c.manifest.FileType == "Quality":
		c.harmonics, err = open(ctx, files, harmonicsName)
	case c.manifest.FileType == "" && c.manifest.has("shcoef"):
		c.harmonics, err = openOptional(ctx, files, harmonicsName)
	}
	if err != nil {
		return err
	}
	c.environment, err = openOptional(ctx, files, environmentName)
	return err
}

// setDecoders takes the ranges from the manifest. Manifests without an
// environment may lack its ranges, and then those of the levels hold.
func (c *Capture) setDecoders(manifest string) error {
	var err error
	if c.decoder, err = c.newDecoder(manifest, []string{"scale"}, []string{"shcoef"}); err != nil || c.environment == nil {
		return err
	}
	c.around, err = c.newDecoder(manifest, []string{"envscale", "scale"}, []string{"envshcoef", "shcoef"})
	return err
}

// newDecoder returns a decoder with the ranges of the first attributes of these
// names that the manifest has.
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

// Facts returns what the capture says of itself.
func (c *Capture) Facts() Facts {
	f := Facts{
		Version: c.manifest.version(), Degree: c.Degree(), Environment: int64(c.environmentCount),
		Min: [3]float64(c.manifest.BoundingBox.Min), Max: [3]float64(c.manifest.BoundingBox.Max),
	}
	for _, n := range c.Levels() {
		f.Levels = append(f.Levels, int64(n))
	}
	return f
}

// Levels implements gaussian.Source. There is at least one, and none is empty.
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

// Warnings says, in sentences for the user, what was wrong with the capture and
// could be put right: splats without a finite position, as far as Positions has
// looked. They are hidden, not dropped, because the numbers of all others would
// change.
func (c *Capture) Warnings() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var warnings []string
	for n := range c.levels {
		if hidden := c.hidden[n]; hidden > 0 {
			warnings = append(warnings, fmt.Sprintf("%d of the %d splats of level %d have no position and are not shown", hidden, c.levels[n].count, n))
		}
	}
	return warnings
}

// level returns a level by its number.
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
