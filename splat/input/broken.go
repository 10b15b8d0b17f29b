package input

// maxBrokenPercent is the maximum share of broken Gaussians in a capture. Trainers write some.
// A file with more of them is damaged or has another format.
const maxBrokenPercent = 1

// CheckBroken returns an Error about a file of count Gaussians if more than one in a hundred is
// broken: a Gaussian is broken if it has a value that is not finite, or no size. Readers leave
// broken Gaussians out, so that they appear neither in pictures nor in results.
func CheckBroken(name string, broken, count int64) error {
	if 100*broken <= maxBrokenPercent*count {
		return nil
	}
	if name == "" {
		return Errorf("", "The capture has too many broken Gaussians: %d of %d", broken, count)
	}
	return Damaged(name, "too many of its Gaussians have values that are not finite, or no size: %d of %d", broken, count)
}
