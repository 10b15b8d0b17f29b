package voxel_test

import (
	"math"
	"testing"

	"portico/splat/voxel"
)

func TestBuild_starts_at_the_suggested_view(t *testing.T) {
	t.Parallel()
	found := build(t, house(), voxel.Options{}).Start
	for name, test := range map[string]struct {
		view, want voxel.View
	}{
		"at an eye": {
			voxel.View{Position: [3]float64{2, 1.7, 1.5}, Target: [3]float64{1, 1.7, 1.5}},
			voxel.View{Position: [3]float64{2, 1.7, 1.5}, Target: [3]float64{1, 1.7, 1.5}},
		},
		"at the feet": {
			voxel.View{Position: [3]float64{2, 0.05, 1.5}, Target: [3]float64{2, 0.05, 2.5}},
			voxel.View{Position: [3]float64{2, 1.6, 1.5}, Target: [3]float64{2, 1.6, 2.5}},
		},
		"below the ceiling": {
			voxel.View{Position: [3]float64{2, 2.4, 1.5}, Target: [3]float64{1, 2.4, 1.5}},
			voxel.View{Position: [3]float64{2, 1.6, 1.5}, Target: [3]float64{1, 1.6, 1.5}},
		},
		"in a wall": {
			voxel.View{Position: [3]float64{3, 1.5, 0}, Target: [3]float64{2, 1.5, 0}},
			voxel.View{Position: [3]float64{2.35, 1.6, 0}, Target: [3]float64{1.35, 1.6, 0}},
		},
		"far outside": {
			voxel.View{Position: [3]float64{30, 1.5, 0}, Target: [3]float64{29, 1.5, 0}},
			voxel.View{Position: found.Position, Target: found.Target},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := build(t, house(), voxel.Options{View: &test.view})
			if c.Start.Scene != voxel.SceneIndoor || c.Start.WalkableArea < 10 {
				t.Errorf("got %+v, want the room", c.Start)
			}
			for k := range 3 {
				if math.Abs(c.Start.Position[k]-test.want.Position[k]) > 0.3 || math.Abs(c.Start.Target[k]-test.want.Target[k]) > 0.3 {
					t.Fatalf("got %+v, want about %v", c.Start, test.want)
				}
			}
			if r := decode(t, c); r.solid(0, 1, 0) || !r.solid(0, 2.6, 0) {
				t.Error("the room is not carved")
			}
		})
	}
}

// Nothing is above a person on a lawn, and the voxels must leave room all the same.
func TestBuild_leaves_headroom_above_the_highest_splat(t *testing.T) {
	t.Parallel()
	s := &scene{}
	s.addPlate(1, [3]float64{-4, 0, -4}, [3]float64{4, 0, 4}, 0.1)
	c := build(t, s, voxel.Options{})
	r := decode(t, c)
	wantStanding(t, c, r)
	if p := c.Start.Position; r.GridBounds.Max[1] < p[1] {
		t.Errorf("got voxels up to %v, want room for the eye at %v", r.GridBounds.Max[1], p)
	}
	for x := -2.0; x <= 2; x++ {
		if r.solid(x, 0.6, 0) || r.solid(x, 1.3, 0) || !r.solid(x, 0, 0) {
			t.Errorf("at %v: got what nobody can walk on", x)
		}
	}
}

// Exporters that know no direction write one straight down.
func TestBuild_does_not_look_at_the_feet(t *testing.T) {
	t.Parallel()
	view := voxel.View{Position: [3]float64{2, 1.5, 1}, Target: [3]float64{2, 0.5, 1}}
	s := build(t, house(), voxel.Options{View: &view}).Start
	if s.Position != view.Position || math.Abs(s.Target[1]-s.Position[1]) > 0.01 {
		t.Errorf("got %+v, want a level view from %v", s, view.Position)
	}
}

func TestBuild_prefers_the_start_that_is_given(t *testing.T) {
	t.Parallel()
	start, view := [3]float64{-2, 1.5, 2}, voxel.View{Position: [3]float64{2, 1.5, 1}, Target: [3]float64{2, 0.5, 1}}
	if got := build(t, house(), voxel.Options{Start: &start, View: &view}).Start.Position; got != start {
		t.Errorf("got %v, want %v", got, start)
	}
}

// The start and the view are in the coordinates of viewers, even if the capture is not.
func TestBuild_uses_the_given_options_with_another_axis_up(t *testing.T) {
	t.Parallel()
	half := float32(math.Sqrt(0.5))
	s := garden() // with z up: x, y, z of a viewer become x, -z, y
	s.Rotate([4]float32{half, 0, 0, -half})
	start := [3]float64{-2, -1, 1.6}
	for name, o := range map[string]voxel.Options{
		"start": {Start: &start}, "view": {View: &voxel.View{Position: start, Target: [3]float64{-2, 0, 1.6}}},
	} {
		c := build(t, s, o)
		if c.Start.Scene != voxel.SceneOutdoor || c.Start.Up != [3]float64{0, 0, 1} || c.Start.Position != start {
			t.Errorf("%s: got %+v, want the place %v", name, c.Start, start)
		}
	}
}
