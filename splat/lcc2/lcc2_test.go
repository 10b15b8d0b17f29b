package lcc2_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/lcc2"
	"portico/splat/sog"
)

// row returns n Gaussians at x = from, from+1, ..., y = 2x and z = 3x, with a
// colour of their own.
func row(from, n int) *gaussian.Cloud {
	c := &gaussian.Cloud{}
	c.Resize(n, 0)
	for i := range n {
		x := float32(from + i)
		copy(c.Positions[3*i:], []float32{x, 2 * x, 3 * x})
		copy(c.Rotations[4*i:], []float32{0, 0, 0, 1})
		copy(c.Scales[3*i:], []float32{-3, -3, -3})
		copy(c.Colours[3*i:], []float32{x / 100, 0, 0})
		c.Opacities[i] = 1
	}
	return c
}

// tile returns a bundle of these Gaussians. Packing sorts them, so that a test
// looks for them by index.
func tile(t testing.TB, cloud *gaussian.Cloud) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := sog.WriteBundle(t.Context(), gaussian.NewMemorySource(nil, cloud), &out, sog.Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// world is a capture of two levels: 5 and 3 splats in two tiles, 2 in one, and an
// environment of 4.
func world(t testing.TB, manifest string) folder.Memory {
	t.Helper()
	return folder.Memory{
		"scan/room.lcc2":         []byte(manifest),
		"scan/data/3dgs/0.sog":   tile(t, row(0, 5)),
		"scan/data/3dgs/1.sog":   tile(t, row(5, 3)),
		"scan/data/3dgs/2.sog":   tile(t, row(20, 2)),
		"scan/data/3dgs/env.sog": tile(t, row(1000, 4)),
	}
}

// The two protocols say the same, and are written as exporters do: one with
// children by number and trailing commas, one with the levels from the coarsest.
const (
	current = `{"version":"0.0.3","totalSplats":10,"lodSplats":[8,2],"totalLevels":2,"splatType":".sog","root":{
		"boundingBox":{"min":[-1,-2,-3],"max":[7,14,21]},
		"splatFiles":["data/3dgs/0.sog","data\\3dgs\\1.sog","/data/3dgs/2.sog","data/3dgs/env.sog",],
		"data":{"env":{"name":3}},
		"child":{"0":{"data":{"3dgs":{"name":2,"start":0,"count":2}},
			"child":{"10":{"data":{"3dgs":{"name":1,"start":0,"count":3}}},"9":{"data":{"3dgs":{"name":0,"start":0,"count":5}}}}}}}}`
	old = `{"total_splats":10,"lod_3dgs_info":[2,8],"lod_level":2,"root":{
		"files":["/data/3dgs/0","/data/3dgs/1","/data/3dgs/2","/data/3dgs/env"],"data":{"env":{"name":3}},
		"child":[{"data":{"3dgs":{"name":2}},"child":[{"data":{"3dgs":{"name":0}}},{"data":{"3dgs":{"name":1}}}]}]}}`
)

func open(t testing.TB, files folder.Reader) *lcc2.Capture {
	t.Helper()
	c, err := lcc2.Open(t.Context(), files, "scan/room.lcc2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}

func TestOpen_reads_both_protocols(t *testing.T) {
	t.Parallel()
	for name, manifest := range map[string]string{"current": current, "old": old} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := open(t, world(t, manifest))
			if got, want := c.Levels(), []int{8, 2}; !slices.Equal(got, want) {
				t.Errorf("levels: got %v, want %v", got, want)
			}
			if got, want := c.EnvironmentCount(), 4; got != want {
				t.Errorf("environment: got %d splats, want %d", got, want)
			}
			checkLevel(t, c, 0, row(0, 8))
			checkLevel(t, c, 1, row(20, 2))
			var environment gaussian.Cloud
			if err := c.Environment(t.Context(), &environment); err != nil {
				t.Fatal(err)
			}
			checkUpright(t, &environment, row(1000, 4))
		})
	}
	if c := open(t, world(t, current)); c.Version != "0.0.3" || c.Min == nil || *c.Min != [3]float64{-1, -2, -3} || *c.Max != [3]float64{7, 14, 21} {
		t.Errorf("got version %q and box %v to %v, want 0.0.3 and the box of the manifest", c.Version, c.Min, c.Max)
	}
}

// checkLevel reads a level as positions, whole, and backwards.
func checkLevel(t *testing.T, c *lcc2.Capture, level int, want *gaussian.Cloud) {
	t.Helper()
	n := c.Levels()[level]
	positions := make([]float32, 3*n)
	reported := 0
	if err := c.Positions(t.Context(), level, positions, func(done int) { reported = done }); err != nil || reported != n {
		t.Fatalf("positions: %v, reported %d of %d", err, reported, n)
	}
	numbers := make([]uint32, n)
	for i := range numbers {
		numbers[i] = uint32(n - 1 - i)
	}
	var cloud gaussian.Cloud
	if err := c.Read(t.Context(), level, numbers, &cloud); err != nil {
		t.Fatal(err)
	}
	for i := range numbers {
		if got, want := cloud.Positions[3*i:3*i+3], positions[3*(n-1-i):3*(n-i)]; !slices.Equal(got, want) {
			t.Errorf("level %d, splat %d: got %v from Read, %v from Positions", level, n-1-i, got, want)
		}
	}
	checkUpright(t, &cloud, want)
}

// checkUpright checks that the cloud has these Gaussians, in any order, turned
// from z up to y down: x stays, y becomes -z and z becomes y.
func checkUpright(t *testing.T, got, raw *gaussian.Cloud) {
	t.Helper()
	if got.Len() != raw.Len() {
		t.Fatalf("got %d splats, want %d", got.Len(), raw.Len())
	}
	for i := range raw.Len() {
		p := raw.Positions[3*i:]
		want := [3]float32{p[0], -p[2], p[1]}
		j := nearest(got, want)
		if d := distance(got.Positions[3*j:], want); d > 0.01*(1+math.Abs(float64(p[2]))) {
			t.Errorf("splat at %v: the nearest is %v away", want, d)
		}
		if got, want := got.Colours[3*j], raw.Colours[3*i]; math.Abs(float64(got-want)) > 0.02*(1+math.Abs(float64(want))) {
			t.Errorf("splat at %v: got colour %v, want %v", p[:3], got, want)
		}
		// A quarter turn about x.
		if q := got.Rotations[4*j:]; math.Abs(math.Abs(float64(q[0]))-math.Sqrt2/2) > 0.02 || math.Abs(float64(q[1])) > 0.02 {
			t.Errorf("splat at %v: got rotation %v, want a quarter turn about x", p[:3], q[:4])
		}
	}
}

func nearest(c *gaussian.Cloud, at [3]float32) int {
	best := 0
	for j := range c.Len() {
		if distance(c.Positions[3*j:], at) < distance(c.Positions[3*best:], at) {
			best = j
		}
	}
	return best
}

func distance(p []float32, at [3]float32) float64 {
	return math.Hypot(math.Hypot(float64(p[0]-at[0]), float64(p[1]-at[1])), float64(p[2]-at[2]))
}

func TestRead_reads_parts_of_tiles(t *testing.T) {
	t.Parallel()
	c := open(t, world(t, `{"totalLevels":1,"root":{"splatFiles":["data/3dgs/0.sog"],"child":[
		{"data":{"3dgs":{"name":0,"start":3,"count":2}}},{"data":{"3dgs":{"name":0,"start":0,"count":1}}}]}}`))
	if got, want := c.Levels(), []int{3}; !slices.Equal(got, want) {
		t.Fatalf("levels: got %v, want %v", got, want)
	}
	all := open(t, world(t, `{"totalLevels":1,"root":{"splatFiles":["data/3dgs/0.sog"],"child":[{"data":{"3dgs":{"name":0}}}]}}`))
	whole, parts := make([]float32, 15), make([]float32, 9)
	if err := errors.Join(all.Positions(t.Context(), 0, whole, nil), c.Positions(t.Context(), 0, parts, nil)); err != nil {
		t.Fatal(err)
	}
	if want := slices.Concat(whole[9:], whole[:3]); !slices.Equal(parts, want) {
		t.Errorf("got %v, want %v", parts, want)
	}
}
