package edit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"portico/splat/decimate"
	"portico/splat/gaussian"
)

// parseDecimate parses a count, or a share as a percentage.
func parseDecimate(value string) (Step, error) {
	text, isShare := strings.CutSuffix(value, "%")
	v, err := numbers(text, 1)
	switch {
	case err != nil:
		return nil, err
	case isShare && !(v[0] > 0 && v[0] <= 100):
		return nil, fmt.Errorf("%q is not above 0%% and up to 100%%", value)
	case !isShare && !(v[0] >= 1 && v[0] == math.Trunc(v[0]) && v[0] < math.MaxInt32):
		return nil, fmt.Errorf("%q is neither a number of Gaussians nor a percentage", value)
	}
	return func(ctx context.Context, s gaussian.Source) (gaussian.Source, error) {
		if isShare {
			return Decimate(ctx, s, func(n int) int { return int(math.Ceil(float64(n) * v[0] / 100)) })
		}
		return Decimate(ctx, s, func(int) int { return int(v[0]) })
	}, nil
}

// decimateBlock is the number of Gaussians that are reduced at a time. With harmonics of degree
// 3 they take 120 MB.
const decimateBlock = 1 << 19

// Decimated is a source whose finest level was decimated. It has no other level.
type Decimated struct {
	*gaussian.MemorySource

	from gaussian.Source
	held int64
}

// Held returns the memory that the Gaussians take, in bytes. They stay in memory until the
// source is no longer used.
//
// The memory is 4 bytes for each float32 of all attributes.
func (d *Decimated) Held() int64 { return d.held }

// Environment returns the environment of the source that was decimated.
func (d *Decimated) Environment(ctx context.Context, c *gaussian.Cloud) error {
	return d.from.Environment(ctx, c)
}

// Decimate reduces the finest level by merging neighbours, as for levels of detail. It calls
// want with the number of Gaussians that are not broken, and want returns the number to reduce
// them to. The result is in memory. It has no coarser levels, because they would not match. A
// source with fewer Gaussians is returned unchanged.
func Decimate(ctx context.Context, source gaussian.Source, want func(n int) int) (gaussian.Source, error) {
	// In Morton order the Gaussians of a block are close together, so that they can be merged.
	all, err := gaussian.Select(ctx, source, 0, gaussian.MortonOrder, nil)
	if err != nil {
		return nil, err
	}
	n := all.Len()
	count := want(n)
	if count >= n {
		return source, nil
	}
	if count < 1 {
		return nil, errors.New("decimation would remove every Gaussian")
	}
	made := &gaussian.Cloud{}
	made.Resize(count, source.Degree()) // so that Append needs no other memory
	made.Resize(0, source.Degree())
	if err := reduceTo(ctx, source, all, count, made); err != nil {
		return nil, err
	}
	values := len(made.Positions) + len(made.Rotations) + len(made.Scales) + len(made.Colours) + len(made.Harmonics) + len(made.Opacities)
	return &Decimated{gaussian.NewMemorySource(nil, made), source, 4 * int64(values)}, nil
}

// reduceTo appends count Gaussians that replace the selected ones. The blocks are in Morton order,
// and the order within a block is the order of Reduce.
func reduceTo(ctx context.Context, source gaussian.Source, all *gaussian.Selection, count int, made *gaussian.Cloud) error {
	var d decimate.Decimator
	var from, result gaussian.Cloud
	var indices []uint32
	n := int64(all.Len())
	for first := int64(0); first < n; first += decimateBlock {
		end := min(n, first+decimateBlock)
		// The blocks get shares in proportion to their sizes. Differences of rounded totals add up
		// to count exactly.
		part := int(int64(count)*end/n - int64(count)*first/n)
		if part == 0 {
			continue
		}
		indices = indices[:0]
		for i := first; i < end; i++ {
			indices = append(indices, all.Index(int(i)))
		}
		if err := source.Read(ctx, 0, indices, &from); err != nil {
			return err
		}
		// Reduce needs finite values and unit quaternions.
		for i := range from.Len() {
			from.Sanitise(i)
		}
		if err := d.Reduce(ctx, &from, part, &result); err != nil {
			return err
		}
		made.Append(result)
	}
	return nil
}
