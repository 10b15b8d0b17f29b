package decimate

import (
	"math"

	"portico/splat/gaussian"
)

// write stores the living nodes as the Gaussians of result, in the order of the tree.
// Gaussians that were not merged are copied bit by bit.
func (p *partMerger) write(source, result *gaussian.Cloud) {
	slots, next := p.partners, 0 // reuses memory: the partners are no longer needed
	clear(result.Colours)
	clear(result.Harmonics)
	for i := range p.nodes {
		if p.isAlive(uint32(i)) {
			slots[i] = uint32(next)
			if p.nodes[i].count == 1 {
				result.Set(next, source, int(p.tree.order[i]))
			} else {
				p.nodes[i].write(result, next)
			}
			next++
		}
	}
	for i, index := range p.tree.order {
		if root := p.root(uint32(i)); p.nodes[root].count > 1 {
			addColours(result, int(slots[root]), source, int(index), float32(p.weights[i]/p.nodes[root].weight))
		}
	}
}

// addColours adds a share of the colour and the harmonics of Gaussian j to Gaussian i.
func addColours(result *gaussian.Cloud, i int, source *gaussian.Cloud, j int, share float32) {
	for k, v := range source.Colours[3*j : 3*j+3] {
		result.Colours[3*i+k] += share * v
	}
	n := 3 * gaussian.Coefficients(source.Degree)
	harmonics := result.Harmonics[n*i : n*i+n]
	for k, v := range source.Harmonics[n*j : n*j+n] {
		harmonics[k] += share * v
	}
}

// write sets the position, shape and opacity of Gaussian i.
func (m *moments) write(c *gaussian.Cloud, i int) {
	c.Positions[3*i], c.Positions[3*i+1], c.Positions[3*i+2] = float32(m.x), float32(m.y), float32(m.z)
	c.Opacities[i] = float32(min(m.opacity(), 1))
	variances, axes := eigen([3][3]float64{{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}})
	for k, v := range variances {
		c.Scales[3*i+k] = float32(math.Log(max(v, minArea)) / 2)
	}
	for k, v := range gaussian.QuaternionOf(axes) {
		c.Rotations[4*i+k] = float32(v)
	}
}

// eigen returns the eigenvalues of a symmetric matrix, and its eigenvectors as columns of
// a rotation (Jacobi's method).
func eigen(a [3][3]float64) (values [3]float64, axes [3][3]float64) {
	axes = [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	const rounds = 12 // four are enough for nearly all matrices
	for range rounds {
		rest := a[0][1]*a[0][1] + a[0][2]*a[0][2] + a[1][2]*a[1][2]
		if !(rest > 1e-24*(a[0][0]*a[0][0]+a[1][1]*a[1][1]+a[2][2]*a[2][2])) {
			break
		}
		for _, pair := range [3][2]int{{0, 1}, {0, 2}, {1, 2}} {
			if a[pair[0]][pair[1]] != 0 {
				rotatePair(&a, &axes, pair[0], pair[1])
			}
		}
	}
	return [3]float64{a[0][0], a[1][1], a[2][2]}, axes
}

// rotatePair rotates two axes so that the element of the matrix between them becomes zero.
func rotatePair(a, axes *[3][3]float64, p, q int) {
	theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := math.Copysign(1/(math.Abs(theta)+math.Sqrt(theta*theta+1)), theta)
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	for k := range 3 {
		a[k][p], a[k][q] = c*a[k][p]-s*a[k][q], s*a[k][p]+c*a[k][q]
	}
	for k := range 3 {
		a[p][k], a[q][k] = c*a[p][k]-s*a[q][k], s*a[p][k]+c*a[q][k]
		axes[k][p], axes[k][q] = c*axes[k][p]-s*axes[k][q], s*axes[k][p]+c*axes[k][q]
	}
}
