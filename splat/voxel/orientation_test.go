package voxel_test

import (
	"math"
	"testing"

	"portico/splat/voxel"
)

// turnedBy is a rotation by degrees about an axis, in the coordinates of viewers.
type turnedBy struct {
	axis    [3]float64
	degrees float64
}

// rotate returns the rotated vector (Rodrigues).
func (r turnedBy) rotate(v [3]float64) (to [3]float64) {
	length := math.Sqrt(r.axis[0]*r.axis[0] + r.axis[1]*r.axis[1] + r.axis[2]*r.axis[2])
	var k [3]float64
	for i := range k {
		k[i] = r.axis[i] / length
	}
	sin, cos := math.Sincos(r.degrees * math.Pi / 180)
	along := k[0]*v[0] + k[1]*v[1] + k[2]*v[2]
	cross := [3]float64{k[1]*v[2] - k[2]*v[1], k[2]*v[0] - k[0]*v[2], k[0]*v[1] - k[1]*v[0]}
	for i := range to {
		to[i] = v[i]*cos + cross[i]*sin + k[i]*along*(1-cos)
	}
	return to
}

// file returns the rotation for a file, which is turned half around z.
func (r turnedBy) file() [4]float32 {
	length := math.Sqrt(r.axis[0]*r.axis[0] + r.axis[1]*r.axis[1] + r.axis[2]*r.axis[2])
	sin, cos := math.Sincos(r.degrees * math.Pi / 360)
	return [4]float32{float32(-r.axis[0] / length * sin), float32(-r.axis[1] / length * sin), float32(r.axis[2] / length * sin), float32(cos)}
}

// Cameras are rarely level, and trainers do not correct this.
func TestBuild_finds_the_floor_of_captures_that_are_turned(t *testing.T) {
	t.Parallel()
	for name, by := range map[string]turnedBy{
		"by 3 degrees":               {[3]float64{1, 0, 0}, 3},
		"by 5 degrees about z":       {[3]float64{0, 0, 1}, -5},
		"by 8 degrees aslant":        {[3]float64{1, 0, 1}, 8},
		"by 10 degrees about x":      {[3]float64{1, 0, 0}, 10},
		"by 20 degrees about z":      {[3]float64{0, 0, 1}, 20},
		"by 30 degrees about x":      {[3]float64{1, 0, 0}, -30},
		"by 25 degrees aslant":       {[3]float64{1, 0.3, -0.7}, 25},
		"upside down":                {[3]float64{1, 0, 0}, 180},
		"upside down and tilted":     {[3]float64{1, 0, 0.2}, 195},
		"z up":                       {[3]float64{1, 0, 0}, 90},
		"z up and tilted":            {[3]float64{1, 0.1, 0.2}, 70},
		"x up, sideways":             {[3]float64{0, 0, 1}, -90},
		"about the vertical only":    {[3]float64{0, 1, 0}, 33},
		"tilted about 15, and about": {[3]float64{0.2, 1, 0}, 75},
	} {
		for _, scene := range []struct {
			name string
			make func() *scene
			kind voxel.Scene
		}{{"a room", house, voxel.SceneIndoor}, {"a garden", garden, voxel.SceneOutdoor}} {
			t.Run(scene.name+" "+name, func(t *testing.T) {
				t.Parallel()
				s := scene.make()
				s.Rotate(by.file())
				wantFloor(t, build(t, s, voxel.Options{}), by.rotate([3]float64{0, 1, 0}), scene.kind)
			})
		}
	}
}

// wantFloor checks that up is right and that the floor passes through the origin
// across up, and looks ahead.
func wantFloor(t *testing.T, c *voxel.Collision, up [3]float64, kind voxel.Scene) {
	t.Helper()
	start := c.Start
	height, level, cos := 0.0, 0.0, 0.0
	for k := range 3 {
		height += up[k] * start.Position[k]
		level += up[k] * (start.Target[k] - start.Position[k])
		cos += up[k] * start.Up[k]
	}
	if angle := math.Acos(min(1, cos)) * 180 / math.Pi; angle > 5.5 {
		t.Fatalf("up: got %v, %v degrees from %v", start.Up, angle, up)
	}
	if height < 1.2 || height > 1.9 || math.Abs(level) > 0.5 {
		t.Errorf("got an eye %v m above the floor that looks up by %v, want 1.5 and 0", height, level)
	}
	if start.Scene != kind || start.WalkableArea < 12 {
		t.Errorf("got %+v, want a scene of the kind %s", start, kind)
	}
	r := decode(t, c)
	at := func(above float64) bool {
		var p [3]float64
		for k := range 3 {
			p[k] = start.Position[k] - up[k]*(height-above)
		}
		return r.solid(p[0], p[1], p[2])
	}
	if at(1.2) || at(0.6) {
		t.Error("the body is in something solid")
	}
	if !at(0) && !at(-0.1) && !at(0.1) {
		t.Error("there is no floor below")
	}
}

// A roof is as large and as flat as a floor, but walls do not stand on it.
func TestBuild_does_not_take_a_roof_for_the_ground(t *testing.T) {
	t.Parallel()
	s := &scene{}
	s.addPlate(1, [3]float64{-5, 0, -5}, [3]float64{5, 0, 5}, 0.15)
	for _, v := range []float64{-3, 3} {
		s.addPlate(0, [3]float64{v, -3, -3}, [3]float64{v, 0, 3}, 0.1)
		s.addPlate(2, [3]float64{-3, -3, v}, [3]float64{3, 0, v}, 0.1)
	}
	roof := &scene{}
	roof.addPlate(1, [3]float64{-4, 0, -4}, [3]float64{4, 0, 4}, 0.1)
	roof.Rotate(turnedBy{[3]float64{1, 0, 0}, 30}.file())
	for i := range roof.Len() {
		roof.Positions[3*i+1] -= 5
	}
	s.Append(roof.Slice(0, roof.Len()))
	if c := build(t, s, voxel.Options{}); c.Start.Up != [3]float64{0, 1, 0} || c.Start.Position[1] > 2 {
		t.Errorf("got %+v, want a place on the ground with y up", c.Start)
	}
}
