package space_test

import "testing"

// newGarden returns a lawn of 12 m with two walls and some boxes of different colours. The lawn is
// the ground, or the wall towards -z of a garden that lies on its side.
func newGarden(lies bool) []byte {
	return newGardenOf(12, spacing, lies)
}

// newGardenOf returns a garden with this side and distance between its Gaussians, in metres. Below
// 5 m it is an object, which is looked at from outside.
func newGardenOf(side, step float64, lies bool) []byte {
	r := room{size: step * 0.56}
	add := func(x, y, z float64, colour rgb, thin int) {
		if lies {
			y, z, thin = z, y, [3]int{0, 2, 1}[thin]
		}
		r.add(x, y, z, colour, thin)
	}
	half := side / 2
	for a := -half + step/2; a < half; a += step {
		for b := -half + step/2; b < half; b += step {
			add(a, 0, b, green, 1)
		}
	}
	for i, colour := range []rgb{red, blue, yellow, white} {
		x, z := side*(0.16*float64(i)-0.3), side*(0.2*float64(i%2)-0.1)
		width, height := side*0.05, side*(0.12+0.05*float64(i))
		for a := -width; a <= width; a += step {
			for y := step / 2; y < height; y += step {
				add(x+a, y, z-width, colour, 2)
				add(x+a, y, z+width, colour, 2)
				add(x-width, y, z+a, colour, 0)
				add(x+width, y, z+a, colour, 0)
			}
			for b := -width; b <= width; b += step {
				add(x+a, height, z+b, colour, 1)
			}
		}
	}
	return r.file()
}

// visitUpright opens a garden that stands, one that lies on its side, a small one, and gardens in
// millimetres and in kilometres.
func (s site) visitUpright(t *testing.T, f files) {
	t.Helper()
	spaces := map[string]map[string]string{}
	for name, content := range map[string][]byte{
		"stands": newGarden(false), "lies": newGarden(true), "small": newGardenOf(0.3, 0.003, false),
		"millimetres": newGardenOf(12_000, 1000*spacing, false), "kilometres": newGardenOf(0.012, spacing/1000, false),
	} {
		key := s.upload(name+".ply", content)
		spaces[name] = map[string]string{"key": key, "space": s.newSpace(name, "infinite", key)}
	}
	s.visit(t, "upright.mjs", map[string]any{
		"spaces": spaces, "space": spaces["lies"]["space"], "unsure": s.newSpace("A room", "infinite", f.room),
	})
}
