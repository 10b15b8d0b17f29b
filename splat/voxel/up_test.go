package voxel_test

import (
	"math"
	"testing"

	"portico/splat/voxel"
)

// Trainers write captures with any axis up.
func TestBuild_finds_up(t *testing.T) {
	t.Parallel()
	half := math.Sqrt(0.5)
	for _, test := range []struct {
		name string
		turn [4]float32 // of the file
		up   [3]float64 // in a viewer
	}{
		{"y down, as 3DGS", [4]float32{0, 0, 0, 1}, [3]float64{0, 1, 0}},
		{"upside down", [4]float32{1, 0, 0, 0}, [3]float64{0, -1, 0}},
		{"z up", [4]float32{float32(half), 0, 0, float32(-half)}, [3]float64{0, 0, 1}},
		{"z down", [4]float32{float32(half), 0, 0, float32(half)}, [3]float64{0, 0, -1}},
		{"x down", [4]float32{0, 0, float32(-half), float32(half)}, [3]float64{1, 0, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := garden()
			s.Rotate(test.turn)
			c := build(t, s, voxel.Options{})
			if c.Start.Up != test.up {
				t.Fatalf("up: got %v, want %v", c.Start.Up, test.up)
			}
			if c.Start.WalkableArea < 30 {
				t.Errorf("walkable area: got %v, want the lawn", c.Start.WalkableArea)
			}
			height := 0.0
			for k, up := range c.Start.Up {
				height += up * c.Start.Position[k]
			}
			if height < 1.3 || height > 1.9 {
				t.Errorf("the eye is %v above the lawn, want 1.5", height)
			}
		})
	}
}

// Trainers put the sky on a sphere around the capture, or on the upper half of one.
func TestBuild_finds_up_under_a_sky(t *testing.T) {
	t.Parallel()
	half := math.Sqrt(0.5)
	for _, test := range []struct {
		name   string
		lowest float64 // height of the sky above the lawn, in its radius
		turn   [4]float32
		up     [3]float64
	}{
		{"half a sphere", 0, [4]float32{0, 0, 0, 1}, [3]float64{0, 1, 0}},
		{"a sphere", -1, [4]float32{0, 0, 0, 1}, [3]float64{0, 1, 0}},
		{"half a sphere, upside down", 0, [4]float32{1, 0, 0, 0}, [3]float64{0, -1, 0}},
		{"half a sphere, z up", 0, [4]float32{float32(half), 0, 0, float32(-half)}, [3]float64{0, 0, 1}},
		{"a sphere, x down", -1, [4]float32{0, 0, float32(-half), float32(half)}, [3]float64{1, 0, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := garden()
			s.addSky(3000, 30, test.lowest)
			s.Rotate(test.turn)
			if c := build(t, s, voxel.Options{Resolution: 0.2}); c.Start.Up != test.up || c.Start.WalkableArea < 30 {
				t.Errorf("got %v up and %v m2, want %v and the lawn", c.Start.Up, c.Start.WalkableArea, test.up)
			}
		})
	}
}
