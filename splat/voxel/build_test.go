package voxel_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"portico/splat/voxel"
)

func TestBuild_makes_a_walkable_collision(t *testing.T) {
	t.Parallel()
	c := build(t, garden(), voxel.Options{})
	r := decode(t, c)
	if c.Start.Scene != voxel.SceneOutdoor || c.Start.DoubtfulScale {
		t.Errorf("got %+v, want a place outdoors in metres", c.Start)
	}
	for _, at := range []struct {
		what    string
		x, y, z float64
		solid   bool
	}{
		{"the lawn", 0, 0, 0, true},
		{"below the lawn", 0, -0.2, 0, true},
		{"the air above the lawn", 0, 1, 0, false},
		{"the air at the eye", -4, 1.5, -3, false},
		{"the wall", 3, 1, 0, true},
		{"the air before the wall", 2.5, 1, 0, false},
		{"the lamp", 0.9, 1, 2, true},
	} {
		if got := r.solid(at.x, at.y, at.z); got != at.solid {
			t.Errorf("%s: solid is %v, want %v", at.what, got, at.solid)
		}
	}
	wantStanding(t, c, r)
	if got := c.Start.WalkableArea; got < 30 || got > 80 {
		t.Errorf("walkable area: got %v m2, want most of 80", got)
	}
}

// wantStanding checks that the start is 1.5 m above a floor, with air around.
func wantStanding(t *testing.T, c *voxel.Collision, r *tree) {
	t.Helper()
	p := c.Start.Position
	if r.solid(p[0], p[1], p[2]) || r.solid(p[0], p[1]-1, p[2]) {
		t.Errorf("start %v is in something solid", p)
	}
	if !r.solid(p[0], p[1]-1.5-0.1, p[2]) {
		t.Errorf("start %v has no floor 1.5 m below", p)
	}
	if d := math.Hypot(c.Start.Target[0]-p[0], c.Start.Target[2]-p[2]); d < 0.9 {
		t.Errorf("target %v is %v m from the start %v, want a direction", c.Start.Target, d, p)
	}
}

func TestBuild_starts_in_a_room_and_not_on_its_roof(t *testing.T) {
	t.Parallel()
	c := build(t, house(), voxel.Options{})
	r := decode(t, c)
	if c.Start.Scene != voxel.SceneIndoor {
		t.Errorf("scene: got %s, want indoor", c.Start.Scene)
	}
	if y := c.Start.Position[1]; y < 1.3 || y > 1.9 {
		t.Errorf("the eye is at %v, want it 1.5 m above the floor at 0", y)
	}
	wantStanding(t, c, r)
	if !r.solid(0, 2.6, 0) || r.solid(0, 1, 0) {
		t.Error("got a ceiling that is free, or a room that is not")
	}
	// The exterior is solid, so visitors cannot leave through a wall.
	if b := r.GridBounds; b.Max[1] > 3.6 || b.Min[0] < -4 {
		t.Errorf("bounds: got %v, want the room with little around", b)
	}
}

func TestBuild_uses_the_given_options(t *testing.T) {
	t.Parallel()
	start := [3]float64{-2, 1.6, -2}
	c := build(t, garden(), voxel.Options{Scene: voxel.SceneOutdoor, Start: &start})
	if c.Start.Position != start {
		t.Errorf("start: got %v, want %v", c.Start.Position, start)
	}
	object := build(t, garden(), voxel.Options{Scene: voxel.SceneObject})
	if object.Start.Scene != voxel.SceneObject || object.Start.WalkableArea != 0 || decode(t, object).solid(0, -0.5, 0) {
		t.Errorf("object: got %+v, want no floor that is filled", object.Start)
	}
}

func TestBuild_looks_at_an_object_from_outside(t *testing.T) {
	t.Parallel()
	s := &scene{}
	s.addSlab([3]float64{4, -1, 7}, [3]float64{4.5, 0, 7.5}, 0.1)
	c := build(t, s, voxel.Options{})
	if c.Start.Scene != voxel.SceneObject {
		t.Errorf("scene: got %s, want object", c.Start.Scene)
	}
	if r := decode(t, c); !r.solid(-4.25, 0.5, 7.25) || r.solid(c.Start.Position[0], c.Start.Position[1], c.Start.Position[2]) {
		t.Errorf("got an object that is free, or a start %v in it", c.Start.Position)
	}
	for k, want := range [3]float64{-4.25, 0.5, 7.25} {
		if got := c.Start.Target[k]; math.Abs(got-want) > 0.1 {
			t.Errorf("target: got %v, want the middle", c.Start.Target)
		}
	}
}

// All flat Gaussians of a vertical board face forwards.
func TestBuild_does_not_turn_an_object_on_its_side(t *testing.T) {
	t.Parallel()
	s := &scene{}
	for i := range 900 {
		x, y := 0.03*float64(i%30), -0.03*float64(i/30)
		s.add([3]float64{x, y, 0}, [3]float64{0.015, 0.015, 0.001}, nil, 0.9)
	}
	if c := build(t, s, voxel.Options{}); c.Start.Scene != voxel.SceneObject || c.Start.Up != [3]float64{0, 1, 0} {
		t.Errorf("got a capture %s with %v up, want an object with y up", c.Start.Scene, c.Start.Up)
	}
}

func TestBuild_doubts_a_scale(t *testing.T) {
	t.Parallel()
	s := &scene{}
	s.addSlab([3]float64{0, 0, 0}, [3]float64{0.1, 0.1, 0.1}, 0.02)
	if c := build(t, s, voxel.Options{}); !c.Start.DoubtfulScale {
		t.Error("0.1 m: got a plausible scale")
	}
}

// Nerfstudio scales captures to a unit cube, so the unit of a small one is not the metre.
func TestBuild_doubts_the_scale_of_a_normalised_capture(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		scene      *scene
		normalised bool
		want       bool
	}{{room(), true, true}, {room(), false, false}, {house(), true, false}} {
		if c := build(t, test.scene, voxel.Options{Normalised: test.normalised}); c.Start.DoubtfulScale != test.want {
			t.Errorf("normalised %v: got doubtful %v, want %v", test.normalised, c.Start.DoubtfulScale, test.want)
		}
	}
}

// A declared up counts more than what is found, unless that is beyond doubt.
func TestBuild_keeps_the_up_that_a_file_declares(t *testing.T) {
	t.Parallel()
	s := &scene{}
	s.addSlab([3]float64{-0.1, -0.5, -0.1}, [3]float64{0.1, 0, 0.1}, 0.05)
	up := [3]float64{0, 0, 1}
	if c := build(t, s, voxel.Options{Up: &up}); c.Start.Up != up || c.Start.Certainty > 0.99 {
		t.Errorf("got %+v, want the up that is declared", c.Start)
	}
}

func TestBuild_leaves_out_Gaussians_far_away(t *testing.T) {
	t.Parallel()
	s := garden()
	s.add([3]float64{5000, 0, 0}, [3]float64{0.1, 0.1, 0.1}, nil, 0.9)
	s.add([3]float64{0, 0, 0}, [3]float64{50, 50, 50}, nil, 0.9)
	c := build(t, s, voxel.Options{})
	if c.Floaters != 2 {
		t.Errorf("floaters: got %d, want 2", c.Floaters)
	}
	if r := decode(t, c); r.solid(0, 1, 0) {
		t.Error("the air is solid")
	}
}

// Some trainers scatter several percent of the Gaussians over millions of metres.
func TestBuild_leaves_out_scattered_Gaussians(t *testing.T) {
	t.Parallel()
	s := house()
	want := build(t, house(), voxel.Options{})
	n := s.Len() / 25
	random := rand.New(rand.NewPCG(5, 6))
	for range n {
		far := func() float64 { return 4e7*random.Float64() - 2e7 }
		s.add([3]float64{far(), far(), far()}, [3]float64{0.1, 0.1, 0.1}, nil, 0.9)
	}
	c := build(t, s, voxel.Options{})
	if c.Floaters != n || c.Start.Scene != want.Start.Scene || c.Start.DoubtfulScale || c.Start.Position != want.Start.Position {
		t.Errorf("got %d floaters and %+v, want %d and %+v", c.Floaters, c.Start, n, want.Start)
	}
}

// A large capture is sampled. Files repeat themselves, and samples must not follow them.
func TestBuild_keeps_repeated_Gaussians(t *testing.T) {
	t.Parallel()
	s := &scene{}
	for i := range 400_000 {
		y := 0.0
		if i%2 == 1 {
			y = -float64(i%1000) / 100 // a tower of 10 m
		}
		s.add([3]float64{float64(i%200) / 20, y, float64(i/200) / 200}, [3]float64{0.05, 0.05, 0.05}, nil, 0.9)
	}
	c := build(t, s, voxel.Options{Resolution: 0.2, Scene: voxel.SceneObject})
	if c.Floaters > 100 || c.Bounds.Max[1] < 9.5 {
		t.Errorf("got %d floaters, bounds %v, want all 10 m", c.Floaters, c.Bounds)
	}
}

func TestBuild_keeps_Gaussians_if_most_are_large(t *testing.T) {
	t.Parallel()
	s := &scene{}
	for i := range 5 {
		s.add([3]float64{float64(i), 0, 0}, [3]float64{4, 4, 4}, nil, 0.9)
	}
	if c := build(t, s, voxel.Options{}); c.Floaters != 0 || !decode(t, c).solid(-2, 0, 0) {
		t.Errorf("got %d floaters, want all that there is", c.Floaters)
	}
}

func TestBuild_refuses_captures_without_visible_Gaussians(t *testing.T) {
	t.Parallel()
	s := &scene{}
	s.add([3]float64{}, [3]float64{1, 1, 1}, nil, 0)
	if _, err := voxel.Build(context.Background(), s.source(), voxel.Options{}, voxel.Work{}); err == nil {
		t.Error("got no error")
	}
	c, err := voxel.Voxelise(context.Background(), s.source(), voxel.Steps{Resolution: 0.1, Opacity: 0.1}, voxel.Work{})
	if err != nil || len(c.Nodes) != 0 {
		t.Errorf("Voxelise: got %+v, %v, want an empty tree", c, err)
	}
}

func TestBuild_chooses_a_resolution_that_fits(t *testing.T) {
	t.Parallel()
	s := &scene{}
	s.addPlate(1, [3]float64{-202.4, 0, -42.4}, [3]float64{202.4, 0, 42.4}, 0.8)
	c, err := voxel.Build(context.Background(), s.source(), voxel.Options{}, voxel.Work{Workers: 2})
	if err != nil || c.Resolution != 0.1 {
		t.Errorf("got %+v, %v, want voxels of 10 cm for 400 m", c, err)
	}
	_, err = voxel.Build(context.Background(), s.source(), voxel.Options{Resolution: 0.001}, voxel.Work{})
	if err == nil {
		t.Error("voxels of 1 mm: got no error")
	}
}

func TestBuild_stops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	stop := func(percent float64, _ string) {
		if percent >= 20 {
			cancel()
		}
	}
	_, err := voxel.Build(ctx, garden().source(), voxel.Options{}, voxel.Work{Progress: stop})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
}

func TestBuild_reports_progress_that_grows(t *testing.T) {
	t.Parallel()
	last, words := -1.0, map[string]bool{}
	_, err := voxel.Build(t.Context(), garden().source(), voxel.Options{Resolution: 0.1}, voxel.Work{Workers: 2, Progress: func(percent float64, message string) {
		if percent < last || percent > 100 {
			t.Errorf("%s: got %v %% after %v", message, percent, last)
		}
		last = percent
		words[message] = true
	}})
	if err != nil || len(words) < 5 {
		t.Errorf("got %v, and the steps %v", err, words)
	}
}

// The result is the same with any number of workers.
func TestVoxelise_does_not_depend_on_workers(t *testing.T) {
	t.Parallel()
	steps := voxel.Steps{
		Resolution: 0.1, Opacity: 0.1, FillFloor: true, FloorRadius: 0.5,
		Capsule: voxel.DefaultCapsule, Seed: [3]float64{0, 1, 0},
	}
	var first *voxel.Collision
	for workers := range 4 {
		c, err := voxel.Voxelise(t.Context(), garden().source(), steps, voxel.Work{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = c
		}
		if string(bytesOf(t, c)) != string(bytesOf(t, first)) {
			t.Errorf("%d workers: got another result", workers)
		}
	}
}
