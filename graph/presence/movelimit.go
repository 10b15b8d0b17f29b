package presence

import "time"

const (
	// movesPerSecond is how often a visitor may move in a second.
	movesPerSecond = 10
	// maxMoveBurst is how many moves of a visitor may arrive together after a pause: a slow
	// network delays moves and then delivers them together.
	maxMoveBurst = 20
)

// moveLimit limits the moves of a visitor, as a token bucket.
type moveLimit struct {
	tokens float64
	filled time.Time // when tokens was last computed
}

func newMoveLimit(now time.Time) moveLimit { return moveLimit{maxMoveBurst, now} }

// take counts a move. It returns 0, or how long the visitor must wait before the move.
func (l *moveLimit) take(now time.Time) time.Duration {
	l.tokens = min(maxMoveBurst, l.tokens+now.Sub(l.filled).Seconds()*movesPerSecond)
	l.filled = now
	if l.tokens < 1 {
		return time.Duration((1 - l.tokens) / movesPerSecond * float64(time.Second))
	}
	l.tokens--
	return 0
}
