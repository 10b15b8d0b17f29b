package scenery

import "math"

// The paints of plants, and the colours of flowers.
var (
	grass   = leaves(vec{0.13, 0.23, 0.06}, vec{0.32, 0.42, 0.13})
	olive   = leaves(vec{0.16, 0.21, 0.12}, vec{0.44, 0.48, 0.32})
	cypress = leaves(vec{0.05, 0.12, 0.05}, vec{0.16, 0.26, 0.1})
	box     = leaves(vec{0.07, 0.17, 0.05}, vec{0.2, 0.36, 0.1})
	flowers = []vec{{0.86, 0.16, 0.3}, {0.96, 0.7, 0.16}, {0.66, 0.34, 0.78}, {0.97, 0.93, 0.88}, {0.95, 0.42, 0.2}}
)

// addPool adds a pool with a rim and a fountain at the centre.
func (p *place) addPool() {
	const x, z, rim, height = 1.7, 3.4, 0.4, 0.42
	p.parts = append(p.parts, part{shape: patch{corner: vec{-x, 0.3, -z}, a: vec{0, 0, 2 * z}, b: vec{2 * x, 0, 0}}, paint: water, finer: 2})
	for _, side := range []float64{-1, 1} {
		p.addBox(vec{side * (x + rim/2), 0, 0}, rim, height, 2*z+2*rim, marble)
		p.addBox(vec{0, 0, side * (z + rim/2)}, 2*x, height, rim, marble)
	}
	p.parts = append(p.parts,
		part{shape: column{vec{0, 0.3, 0}, 0.9, 0.22, 0.13}, paint: marble, finer: 2},
		part{shape: column{vec{0, 1.15, 0}, 0.22, 0.12, 0.75}, paint: marble, finer: 3},
		part{shape: column{vec{0, 1.34, 0}, 0.02, 0.72, 0.02}, paint: water, finer: 3},
		part{shape: column{vec{0, 1.3, 0}, 0.5, 0.07, 0.03}, paint: plain(vec{0.85, 0.9, 0.92}, 0.2), finer: 3})
}

// addBeds adds four beds, each with a hedge, flowers and two trees, and pots and benches.
func (p *place) addBeds() {
	for quarter := range 4 {
		east, north := float64(quarter%2)*2-1, float64(quarter/2)*2-1
		centre := vec{east * 4.6, 0, north * 5.4}
		p.parts = append(p.parts, part{
			shape: patch{corner: centre.add(vec{-1.7, 0.05, -2.9}), a: vec{0, 0, 5.8}, b: vec{3.4, 0, 0}}, paint: grass, finer: 1.5,
		})
		p.addHedge(centre, 1.8, 3)
		p.addFlowerbed(centre, quarter)
		p.addTree(centre.add(vec{0.2 * east, 0, 0.9 * north}), 1.9+0.25*float64(quarter))
		tall := centre.add(vec{-1.1 * east, 0, -2.1 * north})
		for level := range 5 {
			r := 0.56 - 0.1*float64(level)
			p.add(bush{tall.add(vec{0, 0.8 + 1.02*float64(level), 0}), vec{r, 0.85, r}, 0.95}, cypress)
		}
		p.addPot(vec{east * 2.7, 0, north * 4.2})
		p.addBox(vec{east * (gardenX + walkWidth - 0.45), 0, north * 4}, 0.5, 0.46, 2.2, marble)
	}
}

// addHedge adds a low hedge around a bed.
func (p *place) addHedge(centre vec, x, z float64) {
	for _, side := range []float64{-1, 1} {
		for along := -z; along <= z; along += 0.3 {
			p.add(bush{centre.add(vec{side * x, 0.2, along}), vec{0.24, 0.3, 0.24}, 0.9}, box)
		}
		for along := -x; along <= x; along += 0.3 {
			p.add(bush{centre.add(vec{along, 0.2, side * z}), vec{0.24, 0.3, 0.24}, 0.9}, box)
		}
	}
}

// addFlowerbed adds flowers in groups of one colour.
func (p *place) addFlowerbed(centre vec, quarter int) {
	for i := range 170 {
		x, z := 3*hash(i, quarter, 11)-1.5, 5*hash(i, quarter, 12)-2.5
		colour := flowers[int(5*noise(vec{0.9 * x, float64(quarter) * 3.7, 0.9 * z})*1.6)%len(flowers)]
		at := centre.add(vec{x, 0.16 + 0.12*hash(i, quarter, 13), z})
		p.add(bush{at.sub(vec{0, 0.05, 0}), vec{0.13, 0.16, 0.13}, 0.3}, box)
		p.parts = append(p.parts, part{shape: bush{at.add(vec{0, 0.12, 0}), vec{0.075, 0.055, 0.075}, 0.2}, paint: leaves(colour.multiply(0.75), colour), finer: 3})
	}
}

// addTree adds a trunk and a crown of several clumps.
func (p *place) addTree(at vec, height float64) {
	p.parts = append(p.parts, part{shape: column{at, height, 0.13, 0.08}, paint: plain(vec{0.32, 0.25, 0.18}, 0.7), finer: 2})
	for i := range 9 {
		angle := 2.4 * float64(i)
		reach := 0.85 * math.Sqrt(float64(i)/9)
		clump := vec{reach * math.Cos(angle), height + 0.35 + 0.7*hash(i, int(height*100), 2), reach * math.Sin(angle)}
		p.add(bush{at.add(clump), vec{0.62, 0.5, 0.62}, 0.55}, olive)
	}
}

// addPot adds a pot with a small round orange tree.
func (p *place) addPot(at vec) {
	p.parts = append(p.parts,
		part{shape: column{at, 0.55, 0.2, 0.32}, paint: terracota, finer: 2},
		part{shape: column{at.add(vec{0, 0.5, 0}), 0.75, 0.05, 0.04}, paint: plain(vec{0.3, 0.24, 0.18}, 0.4), finer: 2},
		part{shape: bush{at.add(vec{0, 1.55, 0}), vec{0.5, 0.48, 0.5}, 0.8}, paint: box})
	for i := range 14 {
		angle, up := 2.4*float64(i), 1-2*(float64(i)+0.5)/14
		flat := 0.5 * math.Sqrt(1-up*up)
		fruit := at.add(vec{flat * math.Cos(angle), 1.55 + 0.46*up, flat * math.Sin(angle)})
		p.parts = append(p.parts, part{shape: bush{fruit, vec{0.05, 0.05, 0.05}, 1}, paint: plain(vec{0.95, 0.5, 0.06}, 0.1), finer: 4})
	}
}

// addTower adds a bell tower behind the wall, with a pyramid roof.
func (p *place) addTower() {
	const half, height = 1.9, 11.5
	at := vec{5.5, 0, -gardenZ - walkWidth - 2.4}
	p.addBox(at, 2*half, height, 2*half, limestone)
	for side := range 4 {
		angle := float64(side) * math.Pi / 2
		out := vec{math.Sin(angle), 0, math.Cos(angle)}
		along := vec{out[2], 0, -out[0]}
		for _, window := range []float64{-0.75, 0.75} {
			corner := at.add(out.multiply(half + 0.02)).add(along.multiply(window - 0.4)).add(vec{0, 8.4, 0})
			p.add(patch{corner: corner, a: along.multiply(0.8), b: vec{0, 1.9, 0}}, plain(vec{0.09, 0.07, 0.06}, 0.3))
		}
		corner := at.add(out.multiply(half + 0.3)).sub(along.multiply(half + 0.3)).add(vec{0, height, 0})
		p.add(patch{
			corner: corner, a: along.multiply(2*half + 0.6), b: vec{0, 1.9, 0}.sub(out.multiply(half + 0.3)),
			open: func(u, v float64) bool { return math.Abs(u-0.5) > (1-v)/2 },
		}, tiles(2*(side%2)))
	}
}
