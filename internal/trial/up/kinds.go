package main

import "math"

// capture is a generated capture.
type capture struct {
	kind string
	// tilt is the angle by which the phone was tilted, in degrees.
	tilt float64
	make func() *model
}

// set is a list of captures.
type set []capture

// add adds n captures of a kind, with a distance between Gaussians.
func (s *set) add(kind string, n int, step float64, build func(m *model)) {
	for i := range n {
		*s = append(*s, capture{kind: kind, make: func() *model {
			m := newModel(uint64(len(kind)*100+i), step)
			build(m)
			return m
		}})
	}
}

// captures returns the set with which the search was made.
func captures() (all set) {
	all.add("furnished room", 4, 0.1, func(m *model) { m.room(m.between(4, 7), m.between(2.4, 3), m.between(4, 9), true, 6) })
	all.add("room without a ceiling", 3, 0.1, func(m *model) { m.room(m.between(4, 7), m.between(2.4, 3), m.between(4, 9), false, 6) })
	all.add("hall with columns", 1, 0.25, (*model).hall)
	all.add("attic", 1, 0.1, (*model).attic)
	all.add("garden", 4, 0.12, func(m *model) { m.garden(m.between(8, 14)) })
	all.add("garden under a sky", 2, 0.12, func(m *model) { m.garden(m.between(8, 14)); m.sky(80) })
	all.add("garden in haze", 2, 0.12, func(m *model) { m.garden(m.between(8, 14)); m.haze(600, 20) })
	all.add("street", 3, 0.3, (*model).street)
	all.add("village from a drone", 2, 0.8, (*model).village)
	all.add("hillside", 2, 0.4, (*model).hillside)
	all.add("table in a room", 3, 0.04, func(m *model) { m.ground(0, 2.4, 2.2); m.table(); m.onTable() })
	all.add("things on a table top", 3, 0.03, func(m *model) { m.lathe(vector{0, 0.7, 0}, [2]float64{0.01, 0}, [2]float64{0.6, 0}); m.onTable() })
	all.add("statue in a square", 3, 0.08, func(m *model) { m.ground(0, 5, 5); m.statue(m.between(0.7, 1.2)) })
	all.add("tree on a lawn", 3, 0.15, func(m *model) { m.ground(0, 9, 9); m.tree(vector{}, m.between(4, 7)) })
	all.add("vehicle on a road", 3, 0.08, func(m *model) { m.ground(0, 7, 5); m.vehicle() })
	all.add("staircase", 1, 0.12, (*model).stairs)
	tilted := len(all)
	all.add("room by a tilted phone", 3, 0.1, func(m *model) { m.room(5, 2.6, 6, true, 6) })
	all.add("garden by a tilted phone", 3, 0.12, func(m *model) { m.garden(10) })
	for i := tilted; i < len(all); i++ {
		all[i].tilt = float64(8 + 7*(i%3))
	}
	all.add("ceiling from below", 2, 0.1, (*model).ceiling)
	all.add("front of a house", 2, 0.12, (*model).front)
	all.add("corridor", 1, 0.12, (*model).corridor)
	all.add("table without a floor", 2, 0.03, func(m *model) { m.table(); m.vase(vector{0, 0.74, 0}, 0.35) })
	all.add("bouquet without a floor", 1, 0.02, (*model).bouquet)
	all.add("vase without a floor", 1, 0.015, func(m *model) { m.vase(vector{}, 0.4) })
	all.add("statue without a floor", 1, 0.05, func(m *model) { m.statue(0.8) })
	all.add("tree without a floor", 1, 0.15, func(m *model) { m.tree(vector{}, 5) })
	all.add("vehicle without a floor", 1, 0.08, (*model).vehicle)
	return all
}

func (m *model) room(width, height, depth float64, ceiling bool, furniture int) {
	m.ground(0, width, depth)
	if ceiling {
		m.ground(height, width, depth)
		m.lathe(vector{0.3, height - 0.6, 0.2}, [2]float64{0.25, 0}, [2]float64{0.05, 0.25}, [2]float64{0.02, 0.6})
	}
	w, d := width/2, depth/2
	m.plate(vector{-w, 0, -d}, vector{width, 0, 0}, vector{0, height, 0})
	m.plate(vector{-w, 0, d}, vector{width, 0, 0}, vector{0, height, 0})
	m.plate(vector{-w, 0, -d}, vector{0, 0, depth}, vector{0, height, 0})
	m.plate(vector{w, 0, -d}, vector{0, 0, depth}, vector{0, height, 0})
	for i := range furniture {
		at := vector{m.between(-w+0.6, w-0.6), 0, m.between(-d+0.6, d-0.6)}
		switch i % 3 {
		case 0: // a bed or a sofa
			m.box(at, m.between(0.9, 1.6), m.between(0.4, 0.6), m.between(0.8, 2), math.Pi/2*float64(m.IntN(2)), false)
		case 1: // a cupboard
			m.box(at, m.between(0.5, 1), m.between(0.9, 2), 0.5, math.Pi/2*float64(m.IntN(2)), false)
		default: // a table
			m.plate(vector{at[0] - 0.5, 0.75, at[2] - 0.4}, vector{1, 0, 0}, vector{0, 0, 0.8})
			for _, leg := range []vector{{-0.45, 0, -0.35}, {0.45, 0, -0.35}, {-0.45, 0, 0.35}, {0.45, 0, 0.35}} {
				m.lathe(vector{at[0] + leg[0], 0, at[2] + leg[2]}, [2]float64{0.03, 0}, [2]float64{0.03, 0.75})
			}
		}
	}
}

func (m *model) hall() {
	m.room(14, 5, 20, true, 0)
	for x := -4.0; x <= 4; x += 8 {
		for z := -8.0; z <= 8; z += 4 {
			m.lathe(vector{x, 0, z}, [2]float64{0.5, 0}, [2]float64{0.35, 0.6}, [2]float64{0.3, 5})
		}
	}
	for z := -7.0; z <= 7; z++ {
		m.box(vector{0, 0, z}, 4, 0.9, 0.5, 0, false)
	}
}

func (m *model) attic() {
	m.ground(0, 6, 8)
	m.plate(vector{-3, 0.5, -4}, vector{3, 2.5, 0}, vector{0, 0, 8})
	m.plate(vector{3, 0.5, -4}, vector{-3, 2.5, 0}, vector{0, 0, 8})
	for _, z := range []float64{-4, 4} {
		m.plate(vector{-2, 0, z}, vector{4, 0, 0}, vector{0, 1.8, 0})
	}
	for range 5 {
		m.box(vector{m.between(-2, 2), 0, m.between(-3, 3)}, m.between(0.4, 1.2), m.between(0.3, 0.9), m.between(0.4, 1.2), m.between(0, 3), false)
	}
}

func (m *model) tree(at vector, height float64) {
	trunk := height * m.between(0.3, 0.45)
	m.lathe(at, [2]float64{0.06 * height, 0}, [2]float64{0.04 * height, 0.1 * height}, [2]float64{0.035 * height, trunk})
	r := height * m.between(0.22, 0.32)
	m.leaves(vector{at[0], at[1] + (trunk+height)/2, at[2]}, r, (height-trunk)/2*1.1, r)
}

func (m *model) garden(side float64) {
	// A lawn that is not quite level.
	for x := -side / 2; x < side/2; x += m.step {
		for z := -side / 2; z < side/2; z += m.step {
			m.add(vector{x, 0.06 * math.Sin(x) * math.Cos(0.7*z), z}, vector{0, 1, 0})
		}
	}
	yaw := m.between(0, 1.5)
	m.box(vector{side * 0.3, 0, side * 0.25}, side*0.3, m.between(2, 3), side*0.25, yaw, false)
	for range 3 {
		m.tree(vector{m.between(-side/2, side/4), 0, m.between(-side/2, side/2)}, m.between(2.5, 4.5))
	}
	for range 6 {
		r := m.between(0.3, 0.7)
		m.leaves(vector{m.between(-side/2, side/2), r * 0.8, m.between(-side/2, side/2)}, r, r, r)
	}
}

func (m *model) street() {
	m.ground(0, 10, 40)
	for side := -1.0; side <= 1; side += 2 {
		for z := -18.0; z < 18; z += 9 {
			height := m.between(5, 11)
			m.plate(vector{side * 5, 0, z}, vector{0, 0, 8.5}, vector{0, height, 0})
			m.plate(vector{side * 5, 0, z}, vector{side * 2, 0, 0}, vector{0, height, 0})
			m.plate(vector{side * 4.2, 2.6, z + 1}, vector{side * 0.8, 0.3, 0}, vector{0, 0, 3})
		}
		for range 4 {
			m.box(vector{side * 3, 0.3, m.between(-17, 17)}, 1.8, 1.3, 4.2, 0, false)
		}
	}
	m.tree(vector{3.4, 0, 1}, 5)
}

func (m *model) village() {
	m.ground(0, 90, 80)
	for range 14 {
		at := vector{m.between(-40, 40), 0, m.between(-35, 35)}
		w, h, d := m.between(7, 12), m.between(3, 6), m.between(8, 14)
		m.box(at, w, h, d, 0, false)
		m.plate(vector{at[0] - w/2, h, at[2] - d/2}, vector{w / 2, 3, 0}, vector{0, 0, d})
		m.plate(vector{at[0] + w/2, h, at[2] - d/2}, vector{-w / 2, 3, 0}, vector{0, 0, d})
	}
	for range 25 {
		m.tree(vector{m.between(-44, 44), 0, m.between(-39, 39)}, m.between(5, 11))
	}
}

func (m *model) hillside() {
	slope := math.Tan(m.between(8, 14) * math.Pi / 180)
	for x := -15.0; x < 15; x += m.step {
		for z := -15.0; z < 15; z += m.step {
			m.add(vector{x, slope*x + 0.4*math.Sin(x/3)*math.Cos(z/4), z}, vector{-slope, 1, 0})
		}
	}
	for range 14 {
		x := m.between(-14, 14)
		m.tree(vector{x, slope * x, m.between(-14, 14)}, m.between(3, 6))
	}
	m.box(vector{0, -0.5, 0}, 6, 3.5, 5, 0, false)
}

func (m *model) table() {
	m.lathe(vector{}, [2]float64{0.01, 0.72}, [2]float64{0.55, 0.72}, [2]float64{0.55, 0.74}, [2]float64{0.01, 0.74})
	for i := range 4 {
		s, c := math.Sincos(math.Pi/4 + math.Pi/2*float64(i))
		m.lathe(vector{0.42 * c, 0, 0.42 * s}, [2]float64{0.03, 0}, [2]float64{0.03, 0.72})
	}
}

func (m *model) onTable() {
	m.vase(vector{m.between(-0.2, 0.2), 0.74, m.between(-0.2, 0.2)}, m.between(0.25, 0.4))
	m.box(vector{0.25, 0.74, -0.1}, 0.2, 0.06, 0.14, m.between(0, 1), false)
	m.ball(vector{-0.25, 0.8, 0.15}, 0.06, 0.06, 0.06)
	m.lathe(vector{0.05, 0.74, 0.3}, [2]float64{0.04, 0}, [2]float64{0.045, 0.1})
}

func (m *model) vase(at vector, h float64) {
	m.lathe(at, [2]float64{0.01, 0}, [2]float64{0.18 * h, 0}, [2]float64{0.3 * h, 0.35 * h}, [2]float64{0.13 * h, 0.75 * h}, [2]float64{0.2 * h, h})
}

func (m *model) bouquet() {
	m.lathe(vector{}, [2]float64{0.12, 0}, [2]float64{0.1, 0.25}, [2]float64{0.14, 0.45}, [2]float64{0.34, 0.85},
		[2]float64{0.3, 0.98}, [2]float64{0.2, 1.04}, [2]float64{0.01, 1.05})
}

func (m *model) statue(plinth float64) {
	m.box(vector{}, plinth, 0.15, plinth, 0.3, false)
	m.box(vector{0, 0.15, 0}, plinth*0.7, 1, plinth*0.7, 0.3, false)
	m.lathe(vector{0, 1.15, 0}, [2]float64{0.28, 0}, [2]float64{0.2, 0.5}, [2]float64{0.16, 0.9}, [2]float64{0.25, 1.35}, [2]float64{0.08, 1.5})
	m.ball(vector{0, 2.78, 0}, 0.12, 0.16, 0.13)
	m.ball(vector{0.35, 2.4, 0.1}, 0.28, 0.07, 0.07)
}

func (m *model) vehicle() {
	m.box(vector{0, 0.35, 0}, 4.2, 0.55, 1.8, 0, true)
	m.plate(vector{-1.4, 0.9, -0.8}, vector{0.6, 0.55, 0}, vector{0, 0, 1.6})
	m.plate(vector{1.7, 0.9, -0.8}, vector{-0.5, 0.55, 0}, vector{0, 0, 1.6})
	m.plate(vector{-0.8, 1.45, -0.75}, vector{2, 0, 0}, vector{0, 0, 1.5})
	for _, z := range []float64{-0.8, 0.8} {
		m.plate(vector{-1, 0.9, z}, vector{2.5, 0, 0}, vector{0, 0.55, 0})
		for _, x := range []float64{-1.3, 1.3} {
			m.ball(vector{x, 0.33, z}, 0.33, 0.33, 0.12)
		}
	}
}

func (m *model) stairs() {
	m.plate(vector{-1.5, 0, -2}, vector{3, 0, 0}, vector{0, 0, 2})
	for i := range 14 {
		y, z := 0.18*float64(i), 0.28*float64(i)
		m.plate(vector{-1.5, y, z}, vector{3, 0, 0}, vector{0, 0.18, 0})
		m.plate(vector{-1.5, y + 0.18, z}, vector{3, 0, 0}, vector{0, 0, 0.28})
	}
	m.plate(vector{-1.5, 2.52, 3.92}, vector{3, 0, 0}, vector{0, 0, 2})
	for _, x := range []float64{-1.5, 1.5} {
		m.plate(vector{x, 0, -2}, vector{0, 0, 8}, vector{0, 4.5, 0})
	}
	m.box(vector{1, 0, -1.5}, 0.4, 0.9, 0.4, 0, false)
}

func (m *model) ceiling() {
	m.ground(3, 7, 6)
	for x := -3.0; x <= 3; x += 1.5 { // beams
		m.box(vector{x, 2.75, 0}, 0.2, 0.24, 6, 0, true)
	}
	m.plate(vector{-3.5, 1.9, -3}, vector{7, 0, 0}, vector{0, 1.1, 0})
	m.plate(vector{-3.5, 1.8, -3}, vector{0, 0, 6}, vector{0, 1.2, 0})
	for _, x := range []float64{-1.2, 1.6} {
		m.lathe(vector{x, 2.1, 0}, [2]float64{0.3, 0}, [2]float64{0.08, 0.3}, [2]float64{0.02, 0.9})
	}
}

func (m *model) front() {
	m.plate(vector{-6, 0, 0}, vector{12, 0, 0}, vector{0, 9, 0})
	for x := -4.5; x <= 4.5; x += 3 {
		for y := 1.0; y < 8; y += 3 {
			m.box(vector{x, y, 0.1}, 1.2, 1.6, 0.3, 0, true)
			if m.IntN(2) == 0 {
				m.box(vector{x, y - 0.3, 0.5}, 1.8, 0.9, 0.9, 0, true)
			}
		}
	}
	m.plate(vector{-6, 0, 0}, vector{12, 0, 0}, vector{0, 0, 1.5})
}

func (m *model) corridor() {
	m.room(2, 2.6, 18, true, 0)
	for z := -7.0; z < 8; z += 3.5 {
		m.box(vector{0.6, 0, z}, 0.5, 0.9, 0.8, 0, false)
	}
}
