package palette

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// covarianceSample is the number of points that determine the principal axes. Axes
// that are nearly right are good enough, because any orthonormal base keeps distances.
const covarianceSample = 4096

// axes is an orthonormal base, ordered by falling variance of the points, times a
// scale that makes the coordinates of the points about 1.
type axes struct {
	dimension int
	// blocks contains the axes in blocks of four: for each value of a point, its
	// coefficients in four axes. The last block is padded with zeros.
	blocks [][4]float32
}

// principalAxes returns the principal axes of the points. The scale is a power of
// two near the inverse of maxMagnitude, so that no square overflows or underflows.
func principalAxes(points []float32, dimension int, maxMagnitude float64) axes {
	scale := 1.0
	if maxMagnitude > 0 {
		_, exponent := math.Frexp(maxMagnitude)
		scale = math.Ldexp(1, -exponent)
	}
	matrix := covariance(points, dimension, scale)
	vectors := eigenvectors(matrix, dimension)
	order := make([]int, dimension)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(matrix[b*dimension+b], matrix[a*dimension+a])
	})
	blocks := make([][4]float32, (dimension+3)/4*dimension)
	for row, axis := range order {
		for j := range dimension {
			blocks[row/4*dimension+j][row%4] = float32(vectors[j*dimension+axis] * scale)
		}
	}
	return axes{dimension, blocks}
}

// covariance returns the covariance matrix of a scaled sample of the points.
func covariance(points []float32, dimension int, scale float64) []float64 {
	n := len(points) / dimension
	stride := max(1, n/covarianceSample)
	mean := make([]float64, dimension)
	matrix := make([]float64, dimension*dimension)
	row := make([]float64, dimension)
	count := 0.0
	for i := 0; i < n; i += stride {
		for j, v := range points[i*dimension : (i+1)*dimension] {
			row[j] = float64(v) * scale
			mean[j] += row[j]
		}
		for j, v := range row {
			above := matrix[j*dimension : j*dimension+j+1]
			for l, w := range row[:len(above)] {
				above[l] += v * w
			}
		}
		count++
	}
	for j := range dimension {
		for l := range j + 1 {
			v := matrix[j*dimension+l]/count - mean[j]/count*mean[l]/count
			matrix[j*dimension+l], matrix[l*dimension+j] = v, v
		}
	}
	return matrix
}

// eigenvectors makes a symmetric matrix diagonal by Jacobi rotations and returns its
// eigenvectors as columns (Golub and Van Loan, Matrix Computations, section 8.5).
//
// A rotation in the dimensions p and q makes the value at p, q zero, with the smaller of the two
// angles that do so, which disturbs the other values least.
func eigenvectors(matrix []float64, n int) []float64 {
	const sweeps = 12 // convergence is quadratic; 6 to 8 sweeps suffice
	vectors := make([]float64, n*n)
	for i := range n {
		vectors[i*n+i] = 1
	}
	for range sweeps {
		turned := false
		for p := range n {
			for q := p + 1; q < n; q++ {
				apq, app, aqq := matrix[p*n+q], matrix[p*n+p], matrix[q*n+q]
				if math.Abs(apq) <= 1e-9*math.Sqrt(math.Abs(app*aqq)) {
					continue
				}
				turned = true
				theta := (aqq - app) / (2 * apq)
				t := math.Copysign(1/(math.Abs(theta)+math.Hypot(theta, 1)), theta)
				c := 1 / math.Sqrt(t*t+1)
				rotatePlane(matrix, vectors, n, jacobiRotation{p, q, c, t * c})
			}
		}
		if !turned {
			break
		}
	}
	return vectors
}

// jacobiRotation is a rotation in the dimensions p and q by the angle with cosine c
// and sine s.
type jacobiRotation struct {
	p, q int
	c, s float64
}

// rotatePlane applies a rotation to the matrix from both sides and to the vectors
// from the right.
func rotatePlane(matrix, vectors []float64, n int, r jacobiRotation) {
	for i := range n {
		a, b := matrix[i*n+r.p], matrix[i*n+r.q]
		matrix[i*n+r.p], matrix[i*n+r.q] = r.c*a-r.s*b, r.s*a+r.c*b
		a, b = vectors[i*n+r.p], vectors[i*n+r.q]
		vectors[i*n+r.p], vectors[i*n+r.q] = r.c*a-r.s*b, r.s*a+r.c*b
	}
	for i := range n {
		a, b := matrix[r.p*n+i], matrix[r.q*n+i]
		matrix[r.p*n+i], matrix[r.q*n+i] = r.c*a-r.s*b, r.s*a+r.c*b
	}
}

func (a axes) project(ctx context.Context, points []float32, w *workers) (rows, error) {
	count := len(points) / a.dimension
	projected := newRows(count, paddedWidth(a.dimension))
	err := w.forEachBlock(ctx, count, func(from, to, _ int) {
		for i := from; i < to; i++ {
			point := points[i*a.dimension : (i+1)*a.dimension]
			a.projectPoint(projected.at(uint32(i)), point)
		}
	})
	return projected, err
}

// projectPoint writes the coordinates of one point; the padding of the row stays
// zero. Four independent sums keep the processor from waiting for each addition.
func (a axes) projectPoint(to, point []float32) {
	for rest := a.blocks; len(rest) >= len(point) && len(to) >= 4; to = to[4:] {
		var s0, s1, s2, s3 float32
		four := rest[:len(point)]
		for j, v := range point {
			part := &four[j]
			s0 += part[0] * v
			s1 += part[1] * v
			s2 += part[2] * v
			s3 += part[3] * v
		}
		to[0], to[1], to[2], to[3] = s0, s1, s2, s3
		rest = rest[len(point):]
	}
}
