package voxel_test

import (
	"fmt"
	"math"
	"testing"

	"portico/splat/voxel"
)

// inUnits returns the scene in a file whose unit is another one.
func (s *scene) inUnits(perMetre float64) *scene {
	for k := range s.Positions {
		s.Positions[k] *= float32(perMetre)
		s.Scales[k] += float32(math.Log(perMetre))
	}
	return s
}

func vase() *scene {
	s := &scene{}
	for i := range 2000 {
		y, turn := float64(i)/2000, float64(i)*math.Pi*(3-math.Sqrt(5))
		r := 0.2 + 0.1*math.Sin(5*y)
		s.add([3]float64{4 + r*math.Cos(turn), -y, 7 + r*math.Sin(turn)}, [3]float64{0.02, 0.02, 0.02}, nil, 0.9)
	}
	return s
}

// Rooms and objects start in the same way in whatever unit, and their owners are told.
func TestBuild_scales_captures_in_other_units(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		make  func() *scene
		units []float64
		kind  voxel.Scene
	}{
		"room":   {house, []float64{0.001, 100, 1000}, voxel.SceneIndoor},
		"object": {vase, []float64{0.001, 100, 1000}, voxel.SceneObject},
		"garden": {garden, []float64{0.001, 1000}, voxel.SceneOutdoor},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := build(t, test.make(), voxel.Options{})
			if want.Start.Scene != test.kind {
				t.Fatalf("in metres: got %s, want %s", want.Start.Scene, test.kind)
			}
			for _, units := range test.units {
				got := build(t, test.make().inUnits(units), voxel.Options{Resolution: 0.1 * units})
				wantScaled(t, fmt.Sprintf("%v units to a metre", units), got, want, units)
			}
		})
	}
}

// wantScaled checks that a collision is the same as one in metres.
func wantScaled(t *testing.T, name string, got, want *voxel.Collision, units float64) {
	t.Helper()
	near := func(a, b [3]float64) bool {
		return math.Abs(a[0]/units-b[0])+math.Abs(a[1]/units-b[1])+math.Abs(a[2]/units-b[2]) < 0.001
	}
	one, other := got.Start, want.Start
	if one.Scene != other.Scene || one.Up != other.Up || math.Abs(one.WalkableArea-other.WalkableArea) > 0.5 ||
		!near(one.Position, other.Position) || !near(one.Target, other.Target) {
		t.Errorf("%s: got %+v, want the same as %+v", name, one, other)
	}
	if !one.DoubtfulScale {
		t.Errorf("%s: got a plausible scale", name)
	}
	if !near(got.Bounds.Min, want.Bounds.Min) || !near(got.Bounds.Max, want.Bounds.Max) || got.Resolution != want.Resolution*units ||
		got.Steps.Capsule.Height != want.Steps.Capsule.Height*units {
		t.Errorf("%s: got voxels of %v in %v, want %v in %v", name, got.Resolution, got.Bounds, want.Resolution, want.Bounds)
	}
	if n, m := solidVolume(decode(t, got)), solidVolume(decode(t, want)); math.Abs(n/(units*units*units)-m) > 0.01*m {
		t.Errorf("%s: got %v solid, want %v", name, n, m)
	}
	if n, m := len(got.Faces().Indices), len(want.Faces().Indices); n < m*9/10 {
		t.Errorf("%s: got %d corners of faces, want about %d", name, n, m)
	}
}

// A garden in centimetres may be a table in millimetres, and a town is large.
func TestBuild_does_not_guess_units(t *testing.T) {
	t.Parallel()
	lawn := build(t, garden().inUnits(100), voxel.Options{Resolution: 10})
	if lawn.Start.Scene != voxel.SceneObject || !lawn.Start.DoubtfulScale {
		t.Errorf("a garden in centimetres: got %+v, want a view of all of it", lawn.Start)
	}
	town := &scene{}
	town.addPlate(1, [3]float64{-200, 0, -150}, [3]float64{200, 0, 150}, 0.8)
	for x := -190.0; x < 190; x += 20 {
		town.addPlate(0, [3]float64{x, -12, -140}, [3]float64{x, 0, 140}, 0.8)
	}
	if c := build(t, town, voxel.Options{Resolution: 0.4}); c.Start.Scene != voxel.SceneOutdoor || c.Start.DoubtfulScale {
		t.Errorf("a town: got %+v, want a place in metres", c.Start)
	}
	// The outside of a crate has the shape of a room.
	crate := &scene{}
	for _, v := range []float64{-30, 30} {
		crate.addPlate(1, [3]float64{-40, v, -30}, [3]float64{40, v, 30}, 2)
		crate.addPlate(0, [3]float64{v * 4 / 3, -30, -30}, [3]float64{v * 4 / 3, 30, 30}, 2)
		crate.addPlate(2, [3]float64{-40, -30, v}, [3]float64{40, 30, v}, 2)
	}
	if c := build(t, crate, voxel.Options{Resolution: 2}); c.Start.Scene != voxel.SceneObject || !c.Start.DoubtfulScale {
		t.Errorf("a crate in centimetres: got %+v, want a view from outside", c.Start)
	}
}

func TestBuild_uses_the_given_options_in_other_units(t *testing.T) {
	t.Parallel()
	start := [3]float64{-2000, 1600, -2000}
	c := build(t, house().inUnits(1000), voxel.Options{Start: &start, Resolution: 100})
	for k, want := range start {
		if math.Abs(c.Start.Position[k]-want) > 1e-6 {
			t.Errorf("start: got %v, want %v", c.Start.Position, start)
		}
	}
	_, err := voxel.Build(t.Context(), house().inUnits(1000).source(), voxel.Options{Resolution: 1}, voxel.Work{})
	if err == nil || err.Error() != "The capture is too large for voxels of 1 m. Use larger voxels." {
		t.Errorf("voxels of a millimetre: got %v", err)
	}
}
