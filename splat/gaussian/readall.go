package gaussian

import "context"

// wholeReader is a Source that reads a level as a whole in one pass, which takes half the time
// of Positions and Read.
type wholeReader interface {
	// ReadAll implements the function ReadAll.
	ReadAll(ctx context.Context, level int, c *Cloud, progress func(done int)) error
}

// ReadAll sets c to all Gaussians of a level, in the order of the source, and marks the positions
// of broken ones by LeaveOut. It calls progress like Source.Positions. A wholeReader must return
// the same as Positions and Read.
func ReadAll(ctx context.Context, source Source, level int, c *Cloud, progress func(done int)) error {
	if whole, ok := source.(wholeReader); ok {
		return whole.ReadAll(ctx, level, c, progress)
	}
	n := source.Levels()[level]
	positions, indices := make([]float32, 3*n), make([]uint32, n)
	if err := source.Positions(ctx, level, positions, progress); err != nil {
		return err
	}
	for i := range indices {
		indices[i] = uint32(i)
	}
	if err := source.Read(ctx, level, indices, c); err != nil {
		return err
	}
	for i := range n {
		if IsLeftOut(positions[3*i:]) {
			LeaveOut(c.Positions[3*i:])
		}
	}
	return nil
}
