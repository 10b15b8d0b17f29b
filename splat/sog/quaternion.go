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

// stepsPerUnit is the number of steps between two encoded components of a difference of 1.
const stepsPerUnit = 127.5 * math.Sqrt2

// minLeftOut is the minimum of a component, in steps, that is left out although it is not the
// largest: leaving out a small one would multiply the others' errors in it.
const minLeftOut = 0.4 * stepsPerUnit

// packQuaternion returns the bytes for a rotation x, y, z, w of any length. Zero, infinite
// and NaN quaternions become the identity.
//
// The largest component can always be left out. Others can be left out if no remaining
// component is over 1/sqrt2. packQuaternion returns the bytes with the smallest error. It avoids
// branches, because the processor cannot predict the components of a rotation.
func packQuaternion(x, y, z, w float32) (packed [4]byte) {
	q := [4]float64{float64(w), float64(x), float64(y), float64(z)}
	squaredLength := q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]
	if !(squaredLength > 0 && squaredLength <= math.MaxFloat64) {
		q, squaredLength = [4]float64{1, 0, 0, 0}, 1
	}
	// A quaternion and its negative are the same rotation. Readers take the missing
	// component as positive.
	scale := math.Copysign(stepsPerUnit/math.Sqrt(squaredLength), q[largestComponent(&q)])
	for i := range q {
		q[i] *= scale
	}
	bytes, offsets := roundComponents(&q)
	without := leftOut(&q, &offsets)
	flip := byte(int64(math.Float64bits(q[without])) >> 63) // 255 for a negative component
	rest := &remaining[without]
	for i := range 3 {
		packed[i] = bytes[rest[i]&3] ^ flip // the mask shows the compiler that the index is in range
	}
	packed[3] = quaternionTag + byte(without)
	return packed
}

// roundComponents returns the byte of each component, which is in steps, and the difference of
// the encoded component. This is the inverse of componentValues. The largest component may be out
// of range; its byte is wrong then.
func roundComponents(q *[4]float64) (bytes [4]byte, offsets [4]float64) {
	for i, v := range q {
		// Bytes encode steps and a half, of which 128 is the first above 0. Adding 256 makes
		// the number positive, so that the conversion rounds down.
		step := int(v + 256)
		bytes[i] = byte(step - 128)
		offsets[i] = float64(step) - 255.5 - v
	}
	return bytes, offsets
}

// leftOut returns the component to leave out. Readers compute it from the length of the others.
// To the first order, its error is the dot product of their values and errors, divided by itself.
func leftOut(q, offsets *[4]float64) int {
	var square, dot float64 // of all four components
	for i, v := range q {
		square += offsets[i] * offsets[i]
		dot += offsets[i] * v
	}
	var sizes, errors [4]uint64 // the bits of positive floats are ordered like their values
	for i, v := range q {
		sizes[i] = math.Float64bits(math.Abs(v))
		own := (dot - offsets[i]*v) / v
		errors[i] = math.Float64bits(square - offsets[i]*offsets[i] + own*own)
	}
	minSize := math.Float64bits(minLeftOut)
	if largest := max(sizes[0], sizes[1], sizes[2], sizes[3]); largest > math.Float64bits(stepsPerUnit/math.Sqrt2) {
		minSize = largest // the others have no byte for it
	}
	best := uint64(math.MaxUint64)
	for i := range errors {
		// The lowest two bits, which are negligible, hold the index.
		key := errors[i]&^3 | uint64(i)
		if sizes[i] < minSize {
			key = math.MaxUint64
		}
		best = min(best, key)
	}
	return int(best & 3)
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
