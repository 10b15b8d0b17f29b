package scenery

import "math"

// part is a surface with its colour.
type part struct {
	shape shape
	paint paint
	// finer multiplies the number of Gaussians per square metre. 0 means 1.
	finer float64
	// glows says that the paint already includes light and shadow.
	glows bool
}

// place is the scene. shadows is set after all parts were added.
type place struct {
	parts   []part
	shadows grid
}

// The sizes of the scene in metres. gardenX and gardenZ are half the size of the garden.
const (
	gardenX, gardenZ = 7.5, 10.0
	walkWidth        = 3.2
	wallHeight       = 4.0
	archWidth        = 2.5
	kerb             = 0.38
)

var (
	limestone = blocks(vec{0.74, 0.64, 0.5}, 0.62, 0.31)
	paving    = blocks(vec{0.6, 0.52, 0.42}, 0.8, 0.8)
	marble    = plain(vec{0.82, 0.77, 0.68}, 0.12)
	terracota = plain(vec{0.6, 0.31, 0.19}, 0.25)
)

// cloister returns the whole scene.
func cloister() place {
	var p place
	p.addSky()
	p.addGround()
	p.addWalks()
	p.addPool()
	p.addBeds()
	p.addTower()
	p.shadows = newGrid(p.parts)
	return p
}

// add adds a surface with the usual number of Gaussians per square metre.
func (p *place) add(s shape, colour paint) { p.parts = append(p.parts, part{shape: s, paint: colour}) }

// addBox adds the sides and the top of a box. centre is the centre of its bottom.
func (p *place) addBox(centre vec, width, height, depth float64, colour paint) {
	x, z := width/2, depth/2
	low := centre.add(vec{-x, 0, -z})
	p.add(patch{corner: low.add(vec{0, height, 0}), a: vec{0, 0, depth}, b: vec{width, 0, 0}}, colour)
	p.add(patch{corner: low, a: vec{0, height, 0}, b: vec{width, 0, 0}}, colour)
	p.add(patch{corner: low.add(vec{0, 0, depth}), a: vec{width, 0, 0}, b: vec{0, height, 0}}, colour)
	p.add(patch{corner: low, a: vec{0, 0, depth}, b: vec{0, height, 0}}, colour)
	p.add(patch{corner: low.add(vec{width, 0, 0}), a: vec{0, height, 0}, b: vec{0, 0, depth}}, colour)
}

// addSky adds the sky, and distant hills before it. Both are far away, so they need few Gaussians.
func (p *place) addSky() {
	p.parts = append(p.parts,
		part{shape: dome{radius: 120, low: 0.02, high: 1}, paint: sky, glows: true, finer: 0.025},
		part{shape: dome{radius: 95, low: -0.03, high: 0.075}, paint: hills, glows: true, finer: 0.012})
}

// addGround adds the floor under the whole scene.
func (p *place) addGround() {
	x, z := gardenX+walkWidth, gardenZ+walkWidth
	p.add(patch{corner: vec{-x, 0, -z}, a: vec{0, 0, 2 * z}, b: vec{2 * x, 0, 0}}, paving)
}

// addWalks adds the arcades on four sides, each with its outer wall and its roof.
func (p *place) addWalks() {
	for side := range 4 {
		// turn rotates coordinates of this side (along, up, outwards) to coordinates of the scene.
		long, out := gardenX, gardenZ
		if side%2 == 1 {
			long, out = gardenZ, gardenX
		}
		angle := float64(side) * math.Pi / 2
		turn := func(v vec) vec {
			c, s := math.Round(math.Cos(angle)), math.Round(math.Sin(angle))
			return vec{c*v[0] + s*v[2], v[1], c*v[2] - s*v[0]}
		}
		p.addArcade(long, out, turn)
		wall := out + walkWidth
		p.add(patch{corner: turn(vec{-long - walkWidth, 0, wall}), a: turn(vec{0, wallHeight + 1.2, 0}), b: turn(vec{2 * (long + walkWidth), 0, 0})}, limestone)
		axis := 2 - 2*(side%2)
		p.add(patch{
			corner: turn(vec{-long - walkWidth, wallHeight + 0.1, out - 0.4}), a: turn(vec{0, 1.1, walkWidth + 0.4}), b: turn(vec{2 * (long + walkWidth), 0, 0}),
		}, tiles(axis))
		p.add(patch{corner: turn(vec{-long - walkWidth, wallHeight - 0.05, out}), a: turn(vec{2 * (long + walkWidth), 0, 0}), b: turn(vec{0, 0.9, walkWidth})}, plain(vec{0.36, 0.23, 0.14}, 0.4))
	}
}

// addArcade adds the arches of one side and the columns under them.
func (p *place) addArcade(long, out float64, turn func(vec) vec) {
	count := math.Round(2 * long / archWidth)
	spring, half := 2.25, archWidth/2-0.22
	open := func(u, v float64) bool {
		x := (math.Mod(u*count, 1) - 0.5) * 2 * long / count
		y := v*(wallHeight-spring) - 0.05
		return y < 0 || x*x+y*y < half*half
	}
	for _, face := range []float64{-kerb / 2, kerb / 2} {
		a, b := turn(vec{2 * long, 0, 0}), turn(vec{0, wallHeight - spring, 0})
		front := patch{corner: turn(vec{-long, spring, out + face}), a: a, b: b, open: open}
		if face < 0 { // it faces the garden
			front = patch{corner: front.corner, a: b, b: a, open: func(u, v float64) bool { return open(v, u) }}
		}
		p.add(front, limestone)
	}
	for i := range int(count) + 1 {
		x := -long + float64(i)*2*long/count
		at := turn(vec{x, 0, out})
		p.addBox(at, 0.5, 0.55, 0.5, marble)
		p.parts = append(p.parts, part{shape: column{at.add(vec{0, 0.55, 0}), 1.4, 0.17, 0.145}, paint: marble, finer: 2})
		p.parts = append(p.parts, part{shape: column{at.add(vec{0, 1.95, 0}), 0.3, 0.15, 0.31}, paint: marble, finer: 2})
		if i == int(count) {
			continue
		}
		// The underside of the arch.
		centre := turn(vec{x + long/count, spring, out})
		p.parts = append(p.parts, part{shape: vault{centre: centre, along: turn(vec{1, 0, 0}), through: turn(vec{0, 0, kerb}), radius: half}, paint: limestone})
	}
}

// vault is the underside of a round arch.
//
// centre is the middle between the feet of the arch, along a unit vector from foot to foot, and
// through the vector from one face of the wall to the other.
type vault struct {
	centre, along, through vec
	radius                 float64
}

// area implements shape.
func (v vault) area() float64 { return math.Pi * v.radius * kerb }

// pointAt implements shape. s goes along the arch, and t through the wall.
func (v vault) pointAt(s, t float64) (sample, bool) {
	angle := math.Pi * s
	out := v.along.multiply(math.Cos(angle)).add(vec{0, math.Sin(angle), 0})
	return sample{v.centre.add(out.multiply(v.radius)).add(v.through.multiply(t - 0.5)), out.multiply(-1)}, true
}

// hides implements shape.
func (vault) hides(_, _ vec, _ float64) bool { return false } // the faces of the wall cast the shadow
