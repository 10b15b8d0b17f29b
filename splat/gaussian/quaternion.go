package gaussian

import "math"

// QuaternionOf returns the unit quaternion x, y, z, w of a rotation matrix, which is given by
// rows. It divides by the largest component, which is never near zero (Shepperd, "Quaternion
// from Rotation Matrix", 1978).
func QuaternionOf(m [3][3]float64) [4]float64 {
	var q [4]float64
	switch trace := m[0][0] + m[1][1] + m[2][2]; {
	case trace > 0:
		q = [4]float64{m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1 + trace}
	case m[0][0] >= m[1][1] && m[0][0] >= m[2][2]:
		q = [4]float64{1 + 2*m[0][0] - trace, m[0][1] + m[1][0], m[0][2] + m[2][0], m[2][1] - m[1][2]}
	case m[1][1] >= m[2][2]:
		q = [4]float64{m[0][1] + m[1][0], 1 + 2*m[1][1] - trace, m[1][2] + m[2][1], m[0][2] - m[2][0]}
	default:
		q = [4]float64{m[0][2] + m[2][0], m[1][2] + m[2][1], 1 + 2*m[2][2] - trace, m[1][0] - m[0][1]}
	}
	length := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
	for k := range q {
		q[k] /= length
	}
	return q
}
