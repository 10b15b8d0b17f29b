package sog

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestAddEllipsoid_contains_each_rotated_box(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	got, low, high := emptyBox(), [3]float64{}, [3]float64{}
	for range 10_000 {
		var p, s [3]float32
		var q [4]float32
		length := 0.0
		for k := range q {
			q[k] = float32(r.NormFloat64())
			length += float64(q[k]) * float64(q[k])
		}
		// Some are large, most are not.
		for k := range p {
			p[k], s[k] = float32(r.NormFloat64()), float32(-3+2*r.NormFloat64())
		}
		got.addEllipsoid(p[:], q[:], s[:])
		// The columns of the matrix are the rotated axes.
		x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
		matrix := [3][3]float64{
			{w*w + x*x - y*y - z*z, 2 * (x*y - w*z), 2 * (x*z + w*y)},
			{2 * (x*y + w*z), w*w - x*x + y*y - z*z, 2 * (y*z - w*x)},
			{2 * (x*z - w*y), 2 * (y*z + w*x), w*w - x*x - y*y + z*z},
		}
		for axis, row := range matrix {
			reach := 0.0
			for k, v := range row {
				reach += math.Abs(v) / length * math.Exp(float64(s[k]))
			}
			low[axis] = min(low[axis], float64(p[axis])-reach)
			high[axis] = max(high[axis], float64(p[axis])+reach)
		}
	}
	for axis := range 3 {
		if math.Abs(float64(got.low[axis])-low[axis]) > 1e-6*math.Abs(low[axis]) ||
			math.Abs(float64(got.high[axis])-high[axis]) > 1e-6*math.Abs(high[axis]) {
			t.Errorf("axis %d: got %g to %g, want %g to %g", axis, got.low[axis], got.high[axis], low[axis], high[axis])
		}
	}
}

func TestContainsBall_needs_the_whole_ball_inside(t *testing.T) {
	t.Parallel()
	b := box{low: [3]float32{-1, -2, -3}, high: [3]float32{1, 2, 3}}
	for _, test := range []struct {
		centre [3]float32
		radius float64
		want   bool
	}{
		{[3]float32{}, 1, true},
		{[3]float32{}, 1.1, false},
		{[3]float32{0.5, 0, 0}, 0.6, false},
		{[3]float32{0, -1.5, 0}, 0.6, false},
		{[3]float32{0, 0, 2.5}, 0.6, false},
		{[3]float32{0, 0, 2.5}, 0.5, true},
	} {
		if got := b.containsBall(test.centre[:], test.radius); got != test.want {
			t.Errorf("ball of %g at %v: got %v, want %v", test.radius, test.centre, got, test.want)
		}
	}
	empty := emptyBox()
	if empty.containsBall([]float32{0, 0, 0}, 0) {
		t.Error("nothing contains a point")
	}
}
