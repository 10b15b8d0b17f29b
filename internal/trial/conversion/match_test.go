package main

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/gaussian"
)

// cloud returns Gaussians of equal scale at these positions.
func cloud(positions ...float32) *gaussian.Cloud {
	c := &gaussian.Cloud{}
	c.Resize(len(positions)/3, 0)
	copy(c.Positions, positions)
	for i := range c.Len() {
		copy(c.Rotations[4*i:], []float32{0, 0, 0, 1})
		copy(c.Scales[3*i:], []float32{-3, -3, -4})
		copy(c.Colours[3*i:], []float32{0, 0, 0})
		c.Opacities[i] = 0.5
	}
	return c
}

// chunk returns a stream of one chunk, whose step at the origin is a hundredth.
func chunk(c *gaussian.Cloud) *stream {
	return &stream{levels: []int{c.Len()}, cloud: c, chunks: make([]uint16, c.Len()), steps: [][3]float64{{0.01, 0.01, 0.01}}}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name           string
		original, made []float32
		want           []uint32
		twice          int
	}{
		{"finds the nearest", []float32{0, 0, 0, 1, 1, 1}, []float32{1, 1, 1.005, 0.005, 0, 0}, []uint32{1, 0}, 0},
		{"looks across the sides of cubes", []float32{-0.001, -0.001, -0.001}, []float32{0.001, 0.001, 0.001}, []uint32{0}, 0},
		{"leaves alone what is too far", []float32{0, 0, 0}, []float32{0, 0, 0.016}, []uint32{none}, 0},
		{"allows more far from the origin, where steps are larger", []float32{0, 0, 9}, []float32{0, 0, 9.1}, []uint32{0}, 0},
		{"counts partners that are taken twice", []float32{0, 0, 0, 0.001, 0, 0}, []float32{0, 0, 0, 5, 5, 5}, []uint32{0, 0}, 1},
		{"finds nothing in nothing", []float32{0, 0, 0}, nil, []uint32{none}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, twice := match(cloud(test.original...), chunk(cloud(test.made...)))
			if diff := cmp.Diff(test.want, got); diff != "" || twice != test.twice {
				t.Errorf("got %d twice, want %d; partners (-want +got):\n%s", twice, test.twice, diff)
			}
		})
	}
}

func TestMatch_distinguishes_close_Gaussians_by_scale(t *testing.T) {
	t.Parallel()
	original, made := cloud(0, 0, 0, 0.004, 0, 0), cloud(0.002, 0, 0, 0.002, 0, 0)
	original.Scales[0], made.Scales[3] = -2, -2
	got, twice := match(original, chunk(made))
	if diff := cmp.Diff([]uint32{1, 0}, got); diff != "" || twice != 0 {
		t.Errorf("got %d twice; partners (-want +got):\n%s", twice, diff)
	}
}

func TestMatch_undoes_a_shuffle(t *testing.T) {
	t.Parallel()
	const n = 2000
	r := rand.New(rand.NewPCG(1, 2))
	var original, made []float32
	want := make([]uint32, n)
	for range 3 * n {
		original = append(original, 4*r.Float32()-2)
	}
	for j, i := range r.Perm(n) {
		want[i] = uint32(j)
		for k := range 3 {
			made = append(made, original[3*i+k]+0.004*(r.Float32()-0.5))
		}
	}
	got, twice := match(cloud(original...), chunk(cloud(made...)))
	if diff := cmp.Diff(want, got); diff != "" || twice != 0 {
		t.Errorf("got %d twice; partners (-want +got):\n%s", twice, diff)
	}
}
