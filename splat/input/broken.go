package input

// The maximum shares of broken Gaussians in a capture, in percent. Trainers write some that are not
// finite; a file with more of them is damaged or has another format. Rows of zeros are harmless: a
// tool has reserved more rows than it filled. Only a file of little else is damaged.
const (
	maxInvalidPercent = 1
	maxEmptyPercent   = 90
)

// Broken counts the broken Gaussians of a capture. Readers leave them out, so that they appear
// neither in pictures nor in results.
type Broken struct {
	// Invalid is the number of Gaussians with a value that is not finite.
	Invalid int64
	// Empty is the number of Gaussians without a size or a direction, such as rows of zeros.
	Empty int64
}

// Add counts a broken Gaussian.
func (b *Broken) Add(empty bool) {
	if empty {
		b.Empty++
	} else {
		b.Invalid++
	}
}

// All returns the number of broken Gaussians.
func (b Broken) All() int64 { return b.Invalid + b.Empty }

// Check returns an Error about a file of count Gaussians if too many of them are broken: more than
// one in a hundred is not finite, or more than nine in ten are broken.
func (b Broken) Check(name string, count int64) error {
	tooManyInvalid := 100*b.Invalid > maxInvalidPercent*count
	switch {
	case !tooManyInvalid && 100*b.All() <= maxEmptyPercent*count:
		return nil
	case name == "":
		return Errorf("", "The capture has too many broken Gaussians: %d of %d", b.All(), count)
	case tooManyInvalid:
		return Damaged(name, "too many of its Gaussians have values that are not finite: %d of %d", b.Invalid, count)
	}
	return Damaged(name, "too many of its Gaussians have no size or no direction: %d of %d", b.Empty, count)
}
