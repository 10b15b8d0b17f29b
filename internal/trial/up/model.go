package main

import (
	"math"
	"math/rand/v2"

	"portico/splat/gaussian"
)

type vector = [3]float64

// model is a capture while it is made, in metres, with y up.
type model struct {
	*rand.Rand

	gaussian.Cloud
	step float64 // the distance between Gaussians
}

func newModel(seed uint64, step float64) *model {
	return &model{Rand: rand.New(rand.NewPCG(seed, 42)), step: step} //nolint:gosec // the same in each run
}

// between returns a random number.
func (m *model) between(low, high float64) float64 { return low + (high-low)*m.Float64() }

// add adds a flat Gaussian of a surface, with the noise that trained surfaces have.
func (m *model) add(p, normal vector) {
	for k := range normal {
		normal[k] += m.NormFloat64() * 0.06
	}
	m.addDisc(p, normal, m.step*m.between(0.5, 0.8), 0.95)
}

func (m *model) addDisc(p, normal vector, size, alpha float64) {
	length := math.Sqrt(normal[0]*normal[0] + normal[1]*normal[1] + normal[2]*normal[2])
	x, y, z := normal[0]/length, normal[1]/length, normal[2]/length
	// The shortest turn from z to the normal.
	q := [4]float64{-y, x, 0, 1 + z}
	if z < -0.9999 {
		q = [4]float64{1, 0, 0, 0}
	}
	length = math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[3]*q[3])
	for k := range 3 {
		m.Positions = append(m.Positions, float32(p[k]+m.NormFloat64()*m.step*0.05))
		m.Colours = append(m.Colours, 0)
	}
	for k := range 4 {
		m.Rotations = append(m.Rotations, float32(q[k]/length))
	}
	m.Scales = append(m.Scales, float32(math.Log(size)), float32(math.Log(size)), float32(math.Log(size*m.between(0.05, 0.3))))
	m.Opacities = append(m.Opacities, float32(alpha))
}

// plate adds a rectangle with a corner and two sides.
func (m *model) plate(corner, u, v vector) {
	normal := vector{u[1]*v[2] - u[2]*v[1], u[2]*v[0] - u[0]*v[2], u[0]*v[1] - u[1]*v[0]}
	length := func(a vector) float64 { return math.Sqrt(a[0]*a[0] + a[1]*a[1] + a[2]*a[2]) }
	nu, nv := max(1, int(length(u)/m.step)), max(1, int(length(v)/m.step))
	for i := range nu {
		for j := range nv {
			a, b := (float64(i)+0.5)/float64(nu), (float64(j)+0.5)/float64(nv)
			m.add(vector{corner[0] + a*u[0] + b*v[0], corner[1] + a*u[1] + b*v[1], corner[2] + a*u[2] + b*v[2]}, normal)
		}
	}
}

// ground adds a horizontal rectangle around the origin.
func (m *model) ground(y, width, depth float64) {
	m.plate(vector{-width / 2, y, -depth / 2}, vector{width, 0, 0}, vector{0, 0, depth})
}

// box adds the five or six visible sides of a box that stands at a place, turned by a yaw.
func (m *model) box(at vector, width, height, depth, yaw float64, bottom bool) {
	s, c := math.Sincos(yaw)
	turn := func(x, y, z float64) vector { return vector{c*x + s*z, y, -s*x + c*z} }
	point := func(x, y, z float64) vector {
		p := turn(x, y, z)
		return vector{at[0] + p[0], at[1] + p[1], at[2] + p[2]}
	}
	w, d := width/2, depth/2
	u, up, v := turn(width, 0, 0), vector{0, height, 0}, turn(0, 0, depth)
	m.plate(point(-w, 0, -d), u, up)
	m.plate(point(-w, 0, d), u, up)
	m.plate(point(-w, 0, -d), v, up)
	m.plate(point(w, 0, -d), v, up)
	m.plate(point(-w, height, -d), u, v)
	if bottom {
		m.plate(point(-w, 0, -d), u, v)
	}
}

// lathe adds a surface of revolution. The profile has pairs of a radius and a height.
func (m *model) lathe(at vector, profile ...[2]float64) {
	for i := range len(profile) - 1 {
		a, b := profile[i], profile[i+1]
		length := math.Hypot(b[0]-a[0], b[1]-a[1])
		rows := max(1, int(length/m.step))
		for row := range rows {
			t := (float64(row) + 0.5) / float64(rows)
			r, y := a[0]+t*(b[0]-a[0]), a[1]+t*(b[1]-a[1])
			n := max(3, int(2*math.Pi*r/m.step))
			for j := range n {
				s, c := math.Sincos(2 * math.Pi * (float64(j) + m.Float64()) / float64(n))
				m.add(vector{at[0] + r*c, at[1] + y, at[2] + r*s},
					vector{c * (b[1] - a[1]) / length, -(b[0] - a[0]) / length, s * (b[1] - a[1]) / length})
			}
		}
	}
}

// ball adds an ellipsoid.
func (m *model) ball(at vector, rx, ry, rz float64) {
	n := int(4 * math.Pi * rx * ry / (m.step * m.step))
	for range max(20, n) {
		d := vector{m.NormFloat64(), m.NormFloat64(), m.NormFloat64()}
		length := math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])
		for k := range d {
			d[k] /= length
		}
		m.add(vector{at[0] + rx*d[0], at[1] + ry*d[1], at[2] + rz*d[2]}, vector{d[0] / rx, d[1] / ry, d[2] / rz})
	}
}

// leaves adds small Gaussians in all directions in an ellipsoid.
func (m *model) leaves(at vector, rx, ry, rz float64) {
	n := int(3 * rx * ry / (m.step * m.step))
	for range max(30, n) {
		d := vector{m.NormFloat64(), m.NormFloat64(), m.NormFloat64()}
		length := math.Sqrt(d[0]*d[0]+d[1]*d[1]+d[2]*d[2]) / math.Cbrt(m.Float64())
		p := vector{at[0] + rx*d[0]/length, at[1] + ry*d[1]/length, at[2] + rz*d[2]/length}
		m.addDisc(p, vector{m.NormFloat64(), m.NormFloat64(), m.NormFloat64()}, m.step*m.between(0.4, 0.9), m.between(0.4, 0.95))
	}
}

// haze adds faint Gaussians around everything, as trainers leave them.
func (m *model) haze(n int, radius float64) {
	for range n {
		p := vector{m.NormFloat64() * radius, m.NormFloat64() * radius * 0.7, m.NormFloat64() * radius}
		m.addDisc(p, vector{m.NormFloat64(), m.NormFloat64(), m.NormFloat64()}, m.between(0.5, 3)*m.step, m.between(0.005, 0.04))
	}
}

// sky adds half a sphere.
func (m *model) sky(radius float64) {
	for range 3000 {
		d := vector{m.NormFloat64(), math.Abs(m.NormFloat64()), m.NormFloat64()}
		length := math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])
		for k := range d {
			d[k] /= length
		}
		m.addDisc(vector{radius * d[0], radius * d[1], radius * d[2]}, d, radius/25, 0.9)
	}
}
