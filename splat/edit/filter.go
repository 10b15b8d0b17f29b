package edit

import (
	"context"
	"fmt"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// Keep reports whether a filter keeps Gaussian i of a cloud. It must not change the cloud.
type Keep func(c *gaussian.Cloud, i int) bool

// Box returns a filter that keeps Gaussians whose centre is in a box, in coordinates with y up.
func Box(low, high [3]float64) Keep {
	return func(c *gaussian.Cloud, i int) bool {
		for k, v := range centre(c, i) {
			if v < low[k] || v > high[k] {
				return false
			}
		}
		return true
	}
}

// Sphere returns a filter that keeps Gaussians whose centre is in a sphere, in coordinates with
// y up.
func Sphere(middle [3]float64, radius float64) Keep {
	return func(c *gaussian.Cloud, i int) bool {
		square := 0.0
		for k, v := range centre(c, i) {
			square += (v - middle[k]) * (v - middle[k])
		}
		return square <= radius*radius
	}
}

// centre returns the position of a Gaussian with y up.
func centre(c *gaussian.Cloud, i int) [3]float64 {
	p := c.Positions[3*i : 3*i+3]
	return halfTurn([3]float64{float64(p[0]), float64(p[1]), float64(p[2])})
}

// filtered is a source without the Gaussians that a filter does not keep.
type filtered struct {
	gaussian.Source

	keep Keep
	// kept contains for each level the indices in the source of the Gaussians that are kept.
	kept   [][]uint32
	counts []int
}

// Filter returns the source with only those Gaussians for which keep returns true, in all
// levels and in the environment. It also removes broken Gaussians. It reads all levels once. It
// needs 12 bytes of memory for each Gaussian of a level while it reads the level, and 4 bytes
// afterwards. If no Gaussian of the finest level is left, it returns an *input.Error.
func Filter(ctx context.Context, source gaussian.Source, keep Keep) (gaussian.Source, error) {
	f := &filtered{Source: source, keep: keep}
	// All levels are filtered, because viewers show coarse levels of the same region at a distance.
	for level := range source.Levels() {
		all, err := gaussian.Select(ctx, source, level, gaussian.FileOrder, nil)
		if err != nil {
			return nil, err
		}
		var kept []uint32
		err = all.Each(ctx, func(first int, c *gaussian.Cloud) error {
			for i := range c.Len() {
				if keep(c, i) {
					kept = append(kept, all.Index(first+i))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		f.kept, f.counts = append(f.kept, kept), append(f.counts, len(kept))
	}
	return f.unlessEmpty()
}

// unlessEmpty returns the source, or an error if no Gaussian of the finest level is left.
func (f *filtered) unlessEmpty() (gaussian.Source, error) {
	if len(f.counts) == 0 || f.counts[0] == 0 {
		return nil, input.Errorf("", "The filters remove all Gaussians of the capture")
	}
	return f, nil
}

// Levels implements gaussian.Source.
func (f *filtered) Levels() []int { return f.counts }

// Positions implements gaussian.Source. It needs memory for all positions of the level.
func (f *filtered) Positions(ctx context.Context, level int, p []float32, progress func(done int)) error {
	// A source returns all positions of a level, so the others are dropped here.
	all := make([]float32, 3*f.Source.Levels()[level])
	if err := f.Source.Positions(ctx, level, all, nil); err != nil {
		return err
	}
	if len(p) != 3*len(f.kept[level]) {
		return fmt.Errorf("read positions of level %d: room for %d values, want %d", level, len(p), 3*len(f.kept[level]))
	}
	for i, index := range f.kept[level] {
		copy(p[3*i:3*i+3], all[3*index:])
	}
	if progress != nil {
		progress(len(f.kept[level]))
	}
	return nil
}

// Read implements gaussian.Source.
func (f *filtered) Read(ctx context.Context, level int, indices []uint32, c *gaussian.Cloud) error {
	inner := make([]uint32, len(indices))
	for i, index := range indices {
		if int64(index) >= int64(len(f.kept[level])) {
			return fmt.Errorf("read level %d: no Gaussian %d among %d", level, index, len(f.kept[level]))
		}
		inner[i] = f.kept[level][index]
	}
	return f.Source.Read(ctx, level, inner, c)
}

// Environment implements gaussian.Source.
func (f *filtered) Environment(ctx context.Context, c *gaussian.Cloud) error {
	var all gaussian.Cloud
	if err := f.Source.Environment(ctx, &all); err != nil {
		return err
	}
	var kept []uint32
	for i := range all.Len() {
		if f.keep(&all, i) {
			kept = append(kept, uint32(i))
		}
	}
	return gaussian.NewMemorySource(nil, &all).Read(ctx, 0, kept, c)
}
