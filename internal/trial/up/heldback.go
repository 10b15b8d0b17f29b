package main

import "math"

// heldBack returns captures of other kinds, which show whether the search is made for more than the
// first set.
func heldBack() (all set) {
	all.add("church", 2, 0.2, (*model).church)
	all.add("car park", 2, 0.15, (*model).carPark)
	all.add("playground", 2, 0.1, (*model).playground)
	all.add("kitchen", 2, 0.08, (*model).kitchen)
	all.add("courtyard", 2, 0.2, (*model).courtyard)
	all.add("park with lamp posts", 2, 0.12, (*model).park)
	all.add("terrace", 2, 0.08, (*model).terrace)
	all.add("ruin", 2, 0.12, (*model).ruin)
	all.add("shelf in a shop", 2, 0.05, (*model).shelf)
	all.add("fountain in a square", 2, 0.08, (*model).fountain)
	all.add("dome from below", 1, 0.12, (*model).dome)
	all.add("office ceiling from below", 1, 0.1, (*model).officeCeiling)
	all.add("relief on a wall", 1, 0.08, (*model).relief)
	all.add("chair without a floor", 1, 0.02, (*model).chair)
	all.add("shoe without a floor", 1, 0.01, (*model).shoe)
	return all
}

func (m *model) church() {
	w, h, d := m.between(8, 11), m.between(5, 7), m.between(18, 26)
	m.room(w, h, d, false, 0)
	// A vault.
	for x := -w / 2; x < w/2; x += m.step {
		for z := -d / 2; z < d/2; z += m.step {
			y := math.Sqrt(max(0, w*w/4-x*x))
			m.add(vector{x, h + 0.7*y, z}, vector{x, y + 0.1, 0})
		}
	}
	for z := -d/2 + 4; z < d/2-3; z += 1.2 { // pews
		for _, x := range []float64{-w / 4, w / 4} {
			m.box(vector{x, 0, z}, w/3, 0.9, 0.4, 0, false)
		}
	}
	m.box(vector{0, 0, -d/2 + 1.5}, 2, 1, 1, 0, false)
}

func (m *model) carPark() {
	m.ground(0, 24, 18)
	for x := -10.0; x <= 10; x += 2.7 {
		for _, z := range []float64{-5, 5} {
			if m.IntN(3) > 0 {
				m.box(vector{x, 0.25, z}, 1.8, 0.7, 4.2, 0, false)
				m.box(vector{x, 0.95, z}, 1.5, 0.5, 2, 0, false)
			}
		}
	}
	m.box(vector{0, 0, -8.5}, 22, 2, 0.2, 0, false)
}

func (m *model) playground() {
	m.ground(0, 12, 10)
	m.box(vector{-2, 0, 0}, 1.5, 2, 1.5, 0.3, false)
	m.plate(vector{-1.2, 2, -0.4}, vector{3, -1.8, 0}, vector{0, 0, 0.8})
	for _, x := range []float64{1.5, 4.5} {
		m.lathe(vector{x, 0, 2.5}, [2]float64{0.06, 0}, [2]float64{0.06, 2.2})
	}
	m.plate(vector{1.5, 2.15, 2.45}, vector{3, 0, 0}, vector{0, 0, 0.1})
	m.box(vector{3, 0, -3}, 2.5, 0.3, 2.5, 0, false)
	m.tree(vector{-5, 0, -4}, 4)
	for z := -4.5; z < 5; z += 1.8 {
		m.box(vector{5.8, 0, z}, 0.1, 1, 1.6, 0, false)
	}
}

func (m *model) kitchen() {
	m.room(3.2, 2.5, 4, true, 0)
	m.box(vector{-1.3, 0, 0}, 0.6, 0.9, 3.6, 0, false)
	m.box(vector{-1.42, 1.45, 0}, 0.35, 0.7, 3, 0, true)
	m.box(vector{1.25, 0, 1.4}, 0.65, 1.9, 0.7, 0, false)
	m.box(vector{0.6, 0, -1}, 0.45, 0.45, 0.45, m.between(0, 1), false)
	m.plate(vector{0.5, 0.74, -0.6}, vector{0.8, 0, 0}, vector{0, 0, 1.2})
}

func (m *model) courtyard() {
	w, d := m.between(12, 16), m.between(14, 20)
	m.ground(0, w, d)
	for side := -1.0; side <= 1; side += 2 {
		h := m.between(7, 13)
		m.plate(vector{side * w / 2, 0, -d / 2}, vector{0, 0, d}, vector{0, h, 0})
		h = m.between(7, 13)
		m.plate(vector{-w / 2, 0, side * d / 2}, vector{w, 0, 0}, vector{0, h, 0})
	}
	m.tree(vector{1, 0, 2}, 6)
	for range 5 {
		m.box(vector{m.between(-w/2+2, w/2-2), 0, m.between(-d/2+2, d/2-2)}, 0.6, 0.5, 1.8, m.between(0, 3), false)
	}
}

func (m *model) park() {
	m.ground(0, 16, 12)
	for range 5 {
		at := vector{m.between(-7, 7), 0, m.between(-5, 5)}
		m.lathe(at, [2]float64{0.08, 0}, [2]float64{0.05, 3.2})
		m.ball(vector{at[0], 3.4, at[2]}, 0.25, 0.25, 0.25)
		m.box(vector{at[0] + 1, 0, at[2]}, 1.6, 0.45, 0.5, m.between(0, 3), false)
	}
	for range 3 {
		m.tree(vector{m.between(-7, 7), 0, m.between(-5, 5)}, m.between(4, 6))
	}
}

func (m *model) terrace() {
	m.ground(0, 6, 4)
	m.plate(vector{-3, 0, -2}, vector{6, 0, 0}, vector{0, 2.6, 0})
	for _, x := range []float64{-1.5, 1.2} {
		m.plate(vector{x, 0.74, 0}, vector{0.9, 0, 0}, vector{0, 0, 0.9})
		m.lathe(vector{x + 0.45, 0, 0.45}, [2]float64{0.2, 0}, [2]float64{0.04, 0.05}, [2]float64{0.04, 0.74})
		for _, dx := range []float64{-0.5, 1.4} {
			m.box(vector{x + dx, 0, 0.4}, 0.45, 0.45, 0.45, m.between(0, 1), false)
		}
	}
	m.lathe(vector{2.4, 0, -1.4}, [2]float64{0.2, 0}, [2]float64{0.28, 0.5})
	m.leaves(vector{2.4, 0.9, -1.4}, 0.4, 0.5, 0.4)
}

func (m *model) ruin() {
	for x := -7.0; x < 7; x += m.step {
		for z := -6.0; z < 6; z += m.step {
			m.add(vector{x, 0.15*math.Sin(1.3*x)*math.Cos(z) + 0.1*math.Sin(3*z), z}, vector{0.15 * math.Cos(x), 1, 0.1 * math.Cos(z)})
		}
	}
	for range 9 {
		m.box(vector{m.between(-6, 6), -0.1, m.between(-5, 5)}, m.between(0.5, 4), m.between(0.5, 3), m.between(0.5, 0.9), math.Pi/2*float64(m.IntN(2)), false)
	}
}

func (m *model) shelf() {
	m.ground(0, 4, 2.5)
	m.plate(vector{-2, 0, -1.25}, vector{4, 0, 0}, vector{0, 2.4, 0})
	for y := 0.3; y < 2.2; y += 0.45 {
		m.plate(vector{-1.5, y, -1.2}, vector{3, 0, 0}, vector{0, 0, 0.4})
		for x := -1.4; x < 1.4; x += 0.2 {
			m.box(vector{x, y, -1}, m.between(0.05, 0.15), m.between(0.1, 0.3), 0.2, 0, false)
		}
	}
	m.box(vector{1, 0, 0.5}, 0.5, 0.5, 0.4, 0.4, false)
}

func (m *model) fountain() {
	m.ground(0, 9, 9)
	m.lathe(vector{}, [2]float64{2, 0}, [2]float64{2, 0.6}, [2]float64{1.8, 0.6}, [2]float64{1.8, 0.4}, [2]float64{0.01, 0.4})
	m.lathe(vector{}, [2]float64{0.3, 0.4}, [2]float64{0.2, 1.4}, [2]float64{0.8, 1.7}, [2]float64{0.01, 1.6})
	m.statueAt(vector{0, 1.6, 0})
}

func (m *model) statueAt(at vector) {
	m.lathe(at, [2]float64{0.2, 0}, [2]float64{0.15, 0.5}, [2]float64{0.2, 0.9}, [2]float64{0.05, 1.1})
	m.ball(vector{at[0], at[1] + 1.2, at[2]}, 0.1, 0.13, 0.1)
}

func (m *model) dome() {
	for x := -5.0; x < 5; x += m.step {
		for z := -5.0; z < 5; z += m.step {
			if r := x*x + z*z; r < 25 {
				y := math.Sqrt(25 - r)
				m.add(vector{x, 8 + 0.6*y, z}, vector{x, y / 0.6, z})
			}
		}
	}
	m.lathe(vector{0, 6.5, 0}, [2]float64{5, 0}, [2]float64{5, 1.5})
}

func (m *model) officeCeiling() {
	m.ground(2.8, 9, 7)
	for x := -3.0; x <= 3; x += 2 {
		for z := -2.0; z <= 2; z += 2 {
			m.box(vector{x, 2.68, z}, 1.2, 0.12, 0.3, 0, true)
		}
	}
	m.plate(vector{-4.5, 1.6, -3.5}, vector{9, 0, 0}, vector{0, 1.2, 0})
	m.plate(vector{-4.5, 1.6, 3.5}, vector{9, 0, 0}, vector{0, 1.2, 0})
	m.plate(vector{4.5, 1.6, -3.5}, vector{0, 0, 7}, vector{0, 1.2, 0})
}

func (m *model) relief() {
	m.plate(vector{-3, 0, 0}, vector{6, 0, 0}, vector{0, 4, 0})
	for range 6 {
		m.ball(vector{m.between(-2.5, 2.5), m.between(0.5, 3.5), 0.1}, m.between(0.2, 0.5), m.between(0.3, 0.8), 0.2)
	}
}

func (m *model) chair() {
	m.box(vector{0, 0.42, 0}, 0.45, 0.05, 0.45, 0, true)
	m.box(vector{0, 0.47, -0.2}, 0.45, 0.45, 0.04, 0, true)
	for _, x := range []float64{-0.2, 0.2} {
		for _, z := range []float64{-0.2, 0.2} {
			m.lathe(vector{x, 0, z}, [2]float64{0.025, 0}, [2]float64{0.025, 0.42})
		}
	}
}

func (m *model) shoe() {
	m.lathe(vector{0, 0, 0}, [2]float64{0.01, 0}, [2]float64{0.05, 0}, [2]float64{0.05, 0.08}, [2]float64{0.04, 0.12})
	m.box(vector{0.1, 0, 0}, 0.16, 0.05, 0.09, 0, true)
}
