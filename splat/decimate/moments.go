package decimate

import (
	"math"

	"portico/splat/gaussian"
)

const (
	// minFlatness is the minimum ratio of the smallest to the largest scale in
	// computations. Without it, the divergence of discs would be infinite.
	minFlatness = 1e-6
	// minWeight is a weight for invisible Gaussians, so that their mean is defined.
	minWeight = 1e-30
	// minArea is the minimum area in divisions, so that results are finite.
	minArea = 1e-36
)

// moments describes one Gaussian, or several Gaussians that were merged into one.
type moments struct {
	x, y, z                float64 // mean
	xx, xy, xz, yy, yz, zz float64 // covariance
	r, g, b                float64 // colour, 0 to 1
	// area is the area of the projection, averaged over all directions, without the factor 2 pi. It
	// is the root of the sum of the covariance's principal minors, which are the squared areas in
	// three orthogonal directions. The sum does not depend on the axes.
	area float64
	// mass is the opacity times the area. weight is the sum of the masses of the originals. It is
	// larger than mass if the opacity was limited to 1.
	mass, weight float64
	// count is the number of originals, logarithm and square are the means of the logarithms of
	// their determinants and of their squared colours, and divergence is the error of merging them
	// that does not depend on size.
	count, logarithm, square, divergence float64
}

// newMoments returns the moments of Gaussian i. A flat Gaussian gets a minimal thickness, so that
// its volume has a logarithm.
func newMoments(c *gaussian.Cloud, i int) (m moments) {
	p, q, s, f := c.Positions[3*i:3*i+3], c.Rotations[4*i:4*i+4], c.Scales[3*i:3*i+3], c.Colours[3*i:3*i+3]
	m.x, m.y, m.z = float64(p[0]), float64(p[1]), float64(p[2])
	m.r, m.g, m.b = 0.5+gaussian.C0*float64(f[0]), 0.5+gaussian.C0*float64(f[1]), 0.5+gaussian.C0*float64(f[2])
	m.square = m.r*m.r + m.g*m.g + m.b*m.b
	floor := max(s[0], s[1], s[2]) + float32(math.Log(minFlatness))
	u, v, w := variance(max(s[0], floor)), variance(max(s[1], floor)), variance(max(s[2], floor))
	m.setCovariance([4]float32(q), u, v, w)
	m.area = math.Sqrt(u*v + u*w + v*w)
	m.mass = float64(c.Opacities[i]) * m.area
	m.weight = m.mass + minWeight
	m.count, m.logarithm = 1, math.Log(u*v*w)
	return m
}

// variance returns the variance of a scale, which is a logarithm.
func variance(scale float32) float64 { return math.Exp(2 * float64(scale)) }

// setCovariance sets the covariance to the variances u, v and t along the axes of a
// rotation.
func (m *moments) setCovariance(q [4]float32, u, v, t float64) {
	x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
	a, b, c := 1-2*(y*y+z*z), 2*(x*y-z*w), 2*(x*z+y*w)
	d, e, f := 2*(x*y+z*w), 1-2*(x*x+z*z), 2*(y*z-x*w)
	g, h, i := 2*(x*z-y*w), 2*(y*z+x*w), 1-2*(x*x+y*y)
	m.xx, m.xy, m.xz = a*a*u+b*b*v+c*c*t, a*d*u+b*e*v+c*f*t, a*g*u+b*h*v+c*i*t
	m.yy, m.yz, m.zz = d*d*u+e*e*v+f*f*t, d*g*u+e*h*v+f*i*t, g*g*u+h*h*v+i*i*t
}

// sumOfMinors returns the sum of the principal minors of a covariance: the square of the area.
func (m *moments) sumOfMinors() float64 {
	return m.xx*m.yy - m.xy*m.xy + m.xx*m.zz - m.xz*m.xz + m.yy*m.zz - m.yz*m.yz
}

// logDeterminant returns the logarithm of the covariance's determinant: twice the logarithm of the
// volume, plus a constant. A flat Gaussian has no volume, and gets the logarithm of a tiny one.
func (m *moments) logDeterminant() float64 {
	d := m.xx*(m.yy*m.zz-m.yz*m.yz) - m.xy*(m.xy*m.zz-m.yz*m.xz) + m.xz*(m.xy*m.yz-m.yy*m.xz)
	return fastLog(max(d, 1e-200))
}

// opacity returns the opacity at the centre: the mass divided by the area.
func (m *moments) opacity() float64 { return m.mass / max(m.area, minArea) }

// opacityGain is the factor by which merging increases the opacity. Without it merged Gaussians are
// slightly too transparent, because they cover less of each other than the originals.
const opacityGain = 1.03

// merge returns the moments of two Gaussians as one. The order of a and b changes only the
// rounding.
func merge(a, b *moments) (m moments) {
	m.weight = a.weight + b.weight
	p := a.weight / m.weight
	q := 1 - p
	dx, dy, dz := b.x-a.x, b.y-a.y, b.z-a.z
	m.x, m.y, m.z = a.x+q*dx, a.y+q*dy, a.z+q*dz
	pq := p * q
	m.xx, m.xy, m.xz = p*a.xx+q*b.xx+pq*dx*dx, p*a.xy+q*b.xy+pq*dx*dy, p*a.xz+q*b.xz+pq*dx*dz
	m.yy, m.yz, m.zz = p*a.yy+q*b.yy+pq*dy*dy, p*a.yz+q*b.yz+pq*dy*dz, p*a.zz+q*b.zz+pq*dz*dz
	m.r, m.g, m.b = p*a.r+q*b.r, p*a.g+q*b.g, p*a.b+q*b.b
	m.area = math.Sqrt(max(m.sumOfMinors(), minArea*minArea))
	m.mass = min((a.mass+b.mass)*opacityGain, m.area)
	m.count, m.logarithm, m.square = a.count+b.count, p*a.logarithm+q*b.logarithm, p*a.square+q*b.square
	colourVariance := m.square - m.r*m.r - m.g*m.g - m.b*m.b
	m.divergence = m.count * (0.5*(m.logDeterminant()-m.logarithm) + colourWeight*colourVariance)
	return m
}
