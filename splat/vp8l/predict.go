package vp8l

// A predictor guesses a pixel from its neighbours to the left, above, above to
// the left and above to the right (RFC 9649, section 3.5.1).
type predictor func(left, top, topLeft, topRight uint32) uint32

// predictors holds those of the format by their number.
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
	func(l, t, tl, _ uint32) uint32 { return eachChannel(l, t, tl, gradient) },
	func(l, t, tl, _ uint32) uint32 { return eachChannel(average(l, t), tl, 0, halfGradient) },
}

const opaqueBlack = 0xff000000

// average returns the mean of two pixels, rounded down, channel by channel.
func average(a, b uint32) uint32 {
	return a&b + (a^b)&0xfefefefe>>1
}

// subtract returns a-b modulo 256, channel by channel: bits between the channels
// stop the borrows.
func subtract(a, b uint32) uint32 {
	ag := 0x00ff00ff + a&0xff00ff00 - b&0xff00ff00
	rb := 0xff00ff00 + a&0x00ff00ff - b&0x00ff00ff
	return ag&0xff00ff00 | rb&0x00ff00ff
}

// selectCloser returns whichever of left and top lies nearer to what the three
// neighbours extrapolate to.
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

// distance returns how far two values of a channel lie apart.
func distance(a, b int) int { return max(a-b, b-a) }

// eachChannel puts together a pixel of what f makes of the channels of three, each
// clamped to a byte.
func eachChannel(a, b, c uint32, f func(a, b, c int) int) (pixel uint32) {
	for shift := 0; shift < 32; shift += 8 {
		v := f(int(a>>shift&255), int(b>>shift&255), int(c>>shift&255))
		pixel |= uint32(min(max(v, 0), 255)) << shift
	}
	return pixel
}

// gradient extrapolates from left, top and top left as a plane would.
func gradient(l, t, tl int) int { return l + t - tl }

// halfGradient goes half as far from the mean of left and top. It divides towards
// zero, as the format does.
func halfGradient(mean, tl, _ int) int { return mean + (mean-tl)/2 }
