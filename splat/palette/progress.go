package palette

import "sync"

// What the stages of Build take, in microseconds of a point of 45 values; the
// stages of a round come as often as there are rounds.
const (
	costTurn        = 0.55
	costTree        = 1.1
	costConnect     = 0.5
	costMovePoints  = 0.5
	costMoveEntries = 0.3
	costDescend     = 0.3
)

// teller turns the work that several goroutines have done into one rising
// fraction.
type teller struct {
	mutex sync.Mutex
	to    func(fraction float64)
	// all is the sum of the costs of all stages, past that of those that are over.
	all, past float64
	// cost is that of the stage that is on, of whose total items done are done.
	cost        float64
	total, done int
	told        float64
}

// newTeller returns a teller to a function that may be nil.
func newTeller(to func(fraction float64)) *teller { return &teller{to: to} }

// plan sets the cost of all stages.
func (t *teller) plan(rounds int) {
	const round = costMovePoints + costMoveEntries + costDescend
	t.all = costTurn + costTree + costConnect + float64(rounds)*round + costMovePoints
}

// stage ends the stage before and begins one of the given cost and items.
func (t *teller) stage(cost float64, total int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.past += t.cost
	t.cost, t.total, t.done = cost, max(1, total), 0
}

// add says that n more items of the stage are done.
func (t *teller) add(n int) {
	const least = 1.0 / 512 // finer than anybody shows
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.done += n
	part := min(1, float64(t.done)/float64(t.total))
	fraction := (t.past + t.cost*part) / t.all
	if t.to != nil && fraction >= t.told+least && fraction < 1 {
		t.told = fraction
		t.to(fraction)
	}
}

// finish tells that all is done.
func (t *teller) finish() {
	if t.to != nil {
		t.to(1)
	}
}
