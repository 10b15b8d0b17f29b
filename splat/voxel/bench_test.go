package voxel_test

import (
	"context"
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"portico/splat/voxel"
)

// street returns a synthetic place outdoors of 60 x 60 m with n Gaussians: uneven ground,
// buildings of 6 to 12 m around a square, trees, and some floaters above.
func street(n int) *scene {
	s := &scene{}
	random := rand.New(rand.NewPCG(3, 4))
	ground := func(x, z float64) float64 { return 0.3 * math.Sin(x/7) * math.Cos(z/9) }
	disc := func(p [3]float64, normal int, size float64) {
		scales := [3]float64{size, size, size}
		scales[normal] = size / 8
		tilt := 0.1 * random.NormFloat64()
		axis := (normal + 1) % 3
		q := [4]float64{0, 0, 0, math.Cos(tilt)}
		q[axis] = math.Sin(tilt)
		s.add(p, scales, &q, 0.3+0.69*random.Float64())
	}
	for i := range n {
		x, z := 60*random.Float64()-30, 60*random.Float64()-30
		size := 0.02 + 0.06*random.Float64()
		switch {
		case i%10 < 4:
			disc([3]float64{x, -ground(x, z), z}, 1, size)
		case i%10 < 8: // walls of houses in a grid with streets of 6 m
			side := 9 * math.Floor((x+30)/15)
			height := 6 + math.Mod(side, 7)
			y := -height * random.Float64()
			cx, cz := 15*math.Floor((x+30)/15)-30+3, 15*math.Floor((z+30)/15)-30+3
			if random.IntN(2) == 0 {
				disc([3]float64{cx + 9*float64(random.IntN(2)), y, cz + 9*random.Float64()}, 0, size)
			} else {
				disc([3]float64{cx + 9*random.Float64(), y, cz + 9*float64(random.IntN(2))}, 2, size)
			}
		case i%10 == 8: // crowns of trees
			cx, cz := 15*math.Round(x/15), 15*math.Round(z/15)
			disc([3]float64{cx + random.NormFloat64(), -4 + random.NormFloat64(), cz + random.NormFloat64()}, random.IntN(3), size)
		default: // roofs
			cx, cz := 15*math.Floor((x+30)/15)-30+3, 15*math.Floor((z+30)/15)-30+3
			height := 6 + math.Mod(9*math.Floor((x+30)/15), 7)
			disc([3]float64{cx + 9*random.Float64(), -height, cz + 9*random.Float64()}, 1, size)
		}
	}
	return s
}

// The figures of docs/performance.md: 2 million Gaussians at two sizes of voxels, with
// filled floors and carved.
func BenchmarkVoxelise(b *testing.B) {
	source := street(2_000_000).source()
	for _, bench := range []struct {
		name       string
		resolution float64
	}{{"5cm", 0.05}, {"10cm", 0.1}} {
		b.Run(bench.name, func(b *testing.B) {
			before := processorTime()
			for b.Loop() {
				c, err := voxel.Voxelise(context.Background(), source, voxel.Steps{
					Resolution: bench.resolution, Opacity: voxel.DefaultOpacity, FillFloor: true,
					FloorRadius: voxel.DefaultFillRadius, Capsule: voxel.DefaultCapsule, Seed: [3]float64{0, 1, 0},
				}, voxel.Work{Workers: 2})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(c.BinarySize()), "bytes")
			}
			b.ReportMetric((processorTime()-before).Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

// processorTime returns the time that the process has used on processors, which does not
// depend on what else the machine does.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
