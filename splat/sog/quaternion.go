package sog

import "math"

// A rotation is four bytes: three components of a unit quaternion between
// -1/sqrt2 and 1/sqrt2, and quaternionTag plus the number of the fourth, which
// follows from them. Components are numbered in the order w, x, y, z ("The SOG
// Format", 3.2).
const quaternionTag = 252

// ownOrder turns the numbers of components into places in our order x, y, z, w.
var ownOrder = [4]int{3, 0, 1, 2}

// kept lists the components that remain when one is left out.
var kept = [4][3]int{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}

// components holds what the bytes stand for.
var components = func() (values [256]float64) {
	for b := range values {
		values[b] = (float64(b)/255*2 - 1) / math.Sqrt2
	}
	return values
}()

// packQuaternion returns the bytes for a rotation x, y, z, w of any length. What
// is no rotation becomes the one that turns nothing.
//
// The largest component can always be left out, and others sometimes too: those
// beside which no other is over 1/sqrt2. The bytes that come nearest win.
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
	best, nearest := packWithout(&q, largest)
	if math.Abs(q[largest]) > math.Sqrt2/2 {
		return best
	}
	for i := range q {
		// A small component carries the errors of all others many times over.
		if i == largest || math.Abs(q[i]) < 0.4 {
			continue
		}
		if packed, near := packWithout(&q, i); near > nearest {
			best, nearest = packed, near
		}
	}
	return best
}

// largestComponent returns which component is farthest from zero, of equal ones the
// first. The bits of positive floats are in their order; the lowest two, which
// matter little, make room for the number, and so there is no branch that a
// processor would guess wrong every other time.
func largestComponent(q *[4]float64) int {
	var keys [4]uint64
	for i, v := range q {
		keys[i] = math.Float64bits(math.Abs(v))&^3 | uint64(3-i)
	}
	return 3 - int(max(keys[0], keys[1], keys[2], keys[3])&3)
}

// packWithout returns the bytes for a unit quaternion without one component, and
// how near they come to it: the cosine of half the angle between.
func packWithout(q *[4]float64, without int) (packed [4]byte, near float64) {
	sign := math.Copysign(1, q[without])
	rest := 1.0
	// A quaternion and its negative are the same rotation: the one whose left out
	// component is positive is written.
	for i, component := range kept[without&3] {
		v := q[component&3] * sign
		b := byte(min(max(int(v*(127.5*math.Sqrt2)+128), 0), 255))
		packed[i] = b
		rest -= components[b] * components[b]
		near += v * components[b]
	}
	packed[3] = quaternionTag + byte(without)
	return packed, near + sign*q[without&3]*math.Sqrt(max(rest, 0))
}

// unpackQuaternion sets q to the rotation x, y, z, w that four bytes stand for.
// Those that stand for none turn nothing, as in the format's other readers.
func unpackQuaternion(packed []byte, q []float32) {
	without := int(packed[3]) - quaternionTag
	if without < 0 {
		q[0], q[1], q[2], q[3] = 0, 0, 0, 1
		return
	}
	length := 0.0
	for i, component := range kept[without] {
		v := components[packed[i]]
		length += v * v
		q[ownOrder[component]] = float32(v)
	}
	if length <= 1 {
		q[ownOrder[without]] = float32(math.Sqrt(1 - length))
		return
	}
	// Bytes that no writer writes: nothing is left for the fourth component.
	q[ownOrder[without]] = 0
	for i := range 4 {
		q[i] /= float32(math.Sqrt(length))
	}
}
