package graph

import (
	"context"

	"portico/model"
)

// writeJSON runs a change of JSON of the caller within the bytes that an account may write in a
// minute. size returns how many bytes the change has written.
//
// The sizes are those after the change. What a change replaces, and history keeps, was counted when
// it was written. A deletion writes nothing.
func writeJSON[T any](ctx context.Context, r *Resolver, size func(T) int, write func() (T, error)) (T, error) {
	c := model.CallerFrom(ctx)
	if c == nil {
		return write() // is refused
	}
	if err := r.limiter.TakeWrite(ctx, c.UserID); err != nil {
		var none T
		return none, err
	}
	result, err := write()
	written := 0
	switch {
	case err == nil:
		written = size(result)
	case model.CodeOf(err) == model.CodeQuotaExceeded:
		// The row was written before its size was compared with the quota. How large it was is
		// unknown, so it counts as the largest.
		written = model.MaxObject
	}
	r.countWritten(ctx, c.UserID, written)
	return result, err
}

// countWritten counts the bytes of a change that TakeWrite let begin.
func (r *Resolver) countWritten(ctx context.Context, userID string, bytes int) {
	if err := r.limiter.AddWritten(ctx, userID, int64(bytes)); err != nil {
		r.logger.Error("count the written JSON", "error", err)
	}
}

// minWritten is the size of a row without JSON, with what history keeps of it.
const minWritten = 256

// entityBytes returns the size of the JSON of an entity.
func entityBytes(entity *model.Entity) int { return len(entity.Data) + len(entity.State) }

// spaceBytes returns the size of what a change of a space writes.
func spaceBytes(space *model.Space) int {
	return len(space.Title) + len(space.Description) + len(space.Data)
}
