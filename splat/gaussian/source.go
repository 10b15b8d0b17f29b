package gaussian

import "context"

// Source provides the Gaussians of a capture by index, so that a writer needs memory only for
// all positions and for the other attributes of one chunk. The indices of a level start at 0,
// in the order of the capture. All methods are safe for concurrent use, except Close. Faults in
// the capture are *input.Errors.
type Source interface {
	// Levels returns the number of Gaussians of each level of detail, the finest level first. A
	// capture without levels of detail has one level.
	Levels() []int
	// Degree returns the degree of the harmonics, 0 to MaxDegree.
	Degree() int
	// Positions sets p, of length 3*Levels()[level], to the positions of the level's
	// Gaussians, and marks broken ones by LeaveOut. It calls progress, which may be
	// nil, from time to time with the number of Gaussians that are done.
	Positions(ctx context.Context, level int, p []float32, progress func(done int)) error
	// Read sets c to the Gaussians with these indices, in this order. Broken Gaussians are
	// invisible. Read is fastest for indices that are close together.
	Read(ctx context.Context, level int, indices []uint32, c *Cloud) error
	// Environment sets c to the Gaussians around the capture, such as the sky. They belong to every
	// level. c is empty if the capture has no environment.
	Environment(ctx context.Context, c *Cloud) error
	// Close releases the source's files and memory.
	Close() error
}
