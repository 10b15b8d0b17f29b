package presence

import "time"

// A visitor may move this often in a second, and this often at once after a pause: moves
// that a network held up arrive together.
const (
	movesPerSecond = 10
	maxMovesAtOnce = 20
)

// budget counts the moves of a visitor.
type budget struct {
	left float64
	last time.Time
}

func newBudget(now time.Time) budget { return budget{maxMovesAtOnce, now} }

// take counts a move. It returns how long to wait where there were too many.
func (b *budget) take(now time.Time) time.Duration {
	b.left = min(maxMovesAtOnce, b.left+now.Sub(b.last).Seconds()*movesPerSecond)
	b.last = now
	if b.left < 1 {
		return time.Duration((1 - b.left) / movesPerSecond * float64(time.Second))
	}
	b.left--
	return 0
}
