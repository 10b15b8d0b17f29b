package input

// maxBrokenPercent is the maximum share of broken Gaussians in a capture. Trainers
// write some; a file with more was damaged or is not what it claims to be.
const maxBrokenPercent = 1

// CheckBroken returns an Error about a file of count Gaussians if more than one in a
// hundred is broken: it has a value that is not finite, or no size. The reader leaves
// out the others, so that they appear neither in pictures nor in results.
func CheckBroken(name string, broken, count int64) error {
	if 100*broken <= maxBrokenPercent*count {
		return nil
	}
	if name == "" {
		return Errorf("", "The capture has %d broken Gaussians, of %d in total", broken, count)
	}
	return Damaged(name, "%d of its %d Gaussians have values that are not finite, or no size", broken, count)
}
