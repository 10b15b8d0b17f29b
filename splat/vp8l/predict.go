package vp8l

// predictor predicts a pixel from its left, top, top left and top right neighbours
// (RFC 9649, section 3.5.1).
type predictor func(left, top, topLeft, topRight uint32) uint32

// predictors contains the format's predictors by number.
var predictors = [14]predictor{
	func(_, _, _, _ uint32) uint32 { return opaqueBlack },
	func(l, _, _, _ uint32) uint32 { return l },
	func(_, t, _, _ uint32) uint32 { return t },
	func(_, _, _, tr uint32) uint32 { return tr },
	func(_, _, tl, _ uint32) uint32 { return tl },
	func(l, t, _, tr uint32) uint32 { return average(average(l, tr), t) },
	func(l, _, tl, _ uint32) uint32 { return average(l, tl) },
	func(l, t, _, _ uint32) uint32 { return average(l, t) },
	func(_, t, tl, _ uint32) uint32 { return average(tl, t) },
	func(_, t, _, tr uint32) uint32 { return average(t, tr) },
	func(l, t, tl, tr uint32) uint32 { return average(average(l, tl), average(t, tr)) },
	func(l, t, tl, _ uint32) uint32 { return selectCloser(l, t, tl) },
	func(l, t, tl, _ uint32) uint32 { return combineChannels(l, t, tl, gradient) },
	func(l, t, tl, _ uint32) uint32 { return combineChannels(average(l, t), tl, 0, halfGradient) },
}

// opaqueBlack is the prediction of the first pixel, and a pixel of parameters or indices that are
// zero.
const opaqueBlack = 0xff000000

// average returns the mean of two pixels per channel, rounded down. All channels
// are computed together: the common bits plus half of the differing bits, with the
// mask keeping each channel's lowest bit from its neighbour.
func average(a, b uint32) uint32 {
	return a&b + (a^b)&0xfefefefe>>1
}

// subtract returns a-b modulo 256 per channel. Two channels are subtracted together;
// set bits between them absorb the borrows.
func subtract(a, b uint32) uint32 {
	ag := 0x00ff00ff + a&0xff00ff00 - b&0xff00ff00
	rb := 0xff00ff00 + a&0x00ff00ff - b&0x00ff00ff
	return ag&0xff00ff00 | rb&0x00ff00ff
}

// selectCloser is the format's Select predictor: it returns left or top, whichever
// is closer to l+t-tl in the sum over the channels.
//
// The distance of left from l+t-tl equals the distance of t from tl, and the distance of top equals
// the distance of l from tl.
func selectCloser(l, t, tl uint32) uint32 {
	toLeft, toTop := 0, 0
	for shift := 0; shift < 32; shift += 8 {
		corner := int(tl >> shift & 255)
		toLeft += distance(int(t>>shift&255), corner)
		toTop += distance(int(l>>shift&255), corner)
	}
	if toLeft < toTop {
		return l
	}
	return t
}

// distance returns the absolute difference of two channel values.
func distance(a, b int) int { return max(a-b, b-a) }

// combineChannels returns the pixel whose channels are f of the channels of a, b
// and c, clamped to 0 to 255.
func combineChannels(a, b, c uint32, f func(a, b, c int) int) (pixel uint32) {
	for shift := 0; shift < 32; shift += 8 {
		v := f(int(a>>shift&255), int(b>>shift&255), int(c>>shift&255))
		pixel |= uint32(min(max(v, 0), 255)) << shift
	}
	return pixel
}

// gradient continues the plane through left, top and top left, the format's
// ClampAddSubtractFull.
func gradient(l, t, tl int) int { return l + t - tl }

// halfGradient moves half as far from the mean of left and top, the format's
// ClampAddSubtractHalf. Go's division rounds towards zero, as the format requires.
func halfGradient(mean, tl, _ int) int { return mean + (mean-tl)/2 }
