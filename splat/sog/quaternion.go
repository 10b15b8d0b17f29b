package sog

import "math"

// A rotation is four bytes: three components of a unit quaternion, from -1/sqrt2 to
// 1/sqrt2, and quaternionTag plus the index of the fourth, which follows from the others.
// Components are in the order w, x, y, z ("The SOG Format", 3.2).
const quaternionTag = 252

// xyzwIndex maps the format's indices of components to our order x, y, z, w.
var xyzwIndex = [4]int{3, 0, 1, 2}

// remaining lists, for each component that is left out, the other three.
var remaining = [4][3]int{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}

// componentValues holds the component that each byte encodes.
var componentValues = func() (values [256]float64) {
	for b := range values {
		values[b] = (float64(b)/255*2 - 1) / math.Sqrt2
	}
	return values
}()

// packQuaternion returns the bytes for a rotation x, y, z, w of any length. Zero, infinite
// and NaN quaternions become the identity.
//
// The largest component can always be left out. Others can be left out if no remaining
// component is over 1/sqrt2. packQuaternion returns the bytes with the smallest error.
func packQuaternion(x, y, z, w float32) [4]byte {
	q := [4]float64{float64(w), float64(x), float64(y), float64(z)}
	length := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
	if !(length > 0) || math.IsInf(length, 1) {
		q, length = [4]float64{1, 0, 0, 0}, 1
	}
	inverse := 1 / length
	for i := range q {
		q[i] *= inverse
	}
	largest := largestComponent(&q)
	best, rest := packWithout(&q, largest)
	if math.Abs(q[largest]) > math.Sqrt2/2 {
		return best
	}
	bestCosine := rest.cosine(q[largest])
	for i := range q {
		// Leaving out a small component would multiply the others' errors in it.
		if i == largest || math.Abs(q[i]) < 0.4 {
			continue
		}
		packed, rest := packWithout(&q, i)
		if cosine := rest.cosine(q[i]); cosine > bestCosine {
			best, bestCosine = packed, cosine
		}
	}
	return best
}

// largestComponent returns the index of the component farthest from zero, and the first
// of equal ones. The bits of positive floats are ordered like their values. The lowest
// two, which are negligible, hold the index, so that a maximum of integers finds it
// without branches, which would often be mispredicted.
func largestComponent(q *[4]float64) int {
	var keys [4]uint64
	for i, v := range q {
		keys[i] = math.Float64bits(math.Abs(v))&^3 | uint64(3-i)
	}
	return 3 - int(max(keys[0], keys[1], keys[2], keys[3])&3)
}

// packedComponents has the sums over three packed components of a unit quaternion from which its
// error is computed.
type packedComponents struct {
	// dot is their part of the dot product with the decoded quaternion, and square the
	// square of the decoded fourth component.
	dot, square float64
}

// cosine returns the cosine of half the angle between the quaternion and the decoded bytes,
// which leave out the given component.
func (c packedComponents) cosine(without float64) float64 {
	return c.dot + math.Abs(without)*math.Sqrt(max(c.square, 0))
}

// packWithout returns the bytes for a unit quaternion without one component.
func packWithout(q *[4]float64, without int) (packed [4]byte, c packedComponents) {
	sign := math.Copysign(1, q[without])
	c.square = 1
	// A quaternion and its negative are the same rotation. Readers take the missing
	// component as positive.
	for i, component := range remaining[without&3] {
		// The masks show the compiler that the index is in range.
		v := q[component&3] * sign
		// This is the inverse of componentValues; 128 is its 127.5 and a half, which rounds.
		b := byte(min(max(int(v*(127.5*math.Sqrt2)+128), 0), 255))
		packed[i] = b
		c.square -= componentValues[b] * componentValues[b]
		c.dot += v * componentValues[b]
	}
	packed[3] = quaternionTag + byte(without)
	return packed, c
}

// unpackQuaternion sets q to the rotation x, y, z, w that four bytes encode. Invalid bytes
// become the identity, as in the format's other readers.
func unpackQuaternion(packed []byte, q []float32) {
	without := int(packed[3]) - quaternionTag
	if without < 0 {
		q[0], q[1], q[2], q[3] = 0, 0, 0, 1
		return
	}
	length := 0.0
	for i, component := range remaining[without] {
		v := componentValues[packed[i]]
		length += v * v
		q[xyzwIndex[component]] = float32(v)
	}
	if length <= 1 {
		q[xyzwIndex[without]] = float32(math.Sqrt(1 - length))
		return
	}
	// No writer produces these bytes: nothing is left for the fourth component.
	q[xyzwIndex[without]] = 0
	for i := range 4 {
		q[i] /= float32(math.Sqrt(length))
	}
}
