package edit

import (
	"context"
	"errors"
	"runtime"

	"portico/splat/gaussian"
	"portico/splat/voxel"
)

// parseFloaters parses the side of a voxel, the minimum opacity of a solid voxel, and the minimum
// contribution that counts. Without a value it uses the defaults of splat-transform. Sizes are in
// metres; opacities and contributions are shares.
func parseFloaters(value string) (Step, error) {
	f := voxel.DefaultFloaters
	if value != "" {
		v, err := numbers(value, 3)
		if err != nil {
			return nil, err
		}
		f = voxel.Floaters{Resolution: v[0], Opacity: v[1], Contribution: v[2]}
	}
	if f.Resolution < 1e-3 || f.Opacity <= 0 || f.Opacity >= 1 || f.Contribution < 0 {
		return nil, errors.New("the voxels need a size of 0.001 or more and an opacity above 0 and below 1, and the contribution must not be negative")
	}
	return func(ctx context.Context, s gaussian.Source) (gaussian.Source, error) { return Floaters(ctx, s, f) }, nil
}

// Floaters returns the source without the floaters of its levels. The environment is not
// filtered, because it is never solid. Floaters needs 48 bytes of memory for each Gaussian of a
// level, and one bit for each voxel of the level's box.
func Floaters(ctx context.Context, source gaussian.Source, floaters voxel.Floaters) (gaussian.Source, error) {
	f := &filtered{Source: source, keep: func(*gaussian.Cloud, int) bool { return true }}
	// Each level is compared with its own voxels, because coarse Gaussians are larger and would
	// contribute to more voxels of the finest level.
	for level := range source.Levels() {
		kept, err := floaters.Remaining(ctx, source, level, voxel.Work{Workers: runtime.GOMAXPROCS(0)})
		if err != nil {
			return nil, err
		}
		f.kept, f.counts = append(f.kept, kept), append(f.counts, len(kept))
	}
	return f.unlessEmpty()
}
