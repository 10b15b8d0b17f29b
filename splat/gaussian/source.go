package gaussian

import "context"

// Source gives the Gaussians of a capture by number, so that a writer holds the
// positions of all and everything else of one chunk only. A level's Gaussians
// are numbered from 0 in the capture's own order. Its methods may be called from
// several goroutines at once; what is wrong with the capture is an *input.Error.
type Source interface {
	// Levels returns how many Gaussians each level of detail has, the finest
	// first. Captures without levels have one.
	Levels() []int
	// Degree returns the degree of the harmonics, 0 to MaxDegree.
	Degree() int
	// Positions sets p, of length 3*Levels()[level], to the positions of the
	// level's Gaussians, and tells progress, which may be nil, now and then
	// how many of them are done.
	Positions(ctx context.Context, level int, p []float32, progress func(done int)) error
	// Read sets c to the Gaussians with these numbers, in this order. It is
	// quickest for numbers that lie close together.
	Read(ctx context.Context, level int, numbers []uint32, c *Cloud) error
	// Environment sets c to the Gaussians around the capture, the sky and what
	// is far away, which belong to every level; to none where there are none.
	Environment(ctx context.Context, c *Cloud) error
	// Close frees what the source has opened.
	Close() error
}
