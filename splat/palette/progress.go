package palette

import "sync"

// The time of each stage of Build in microseconds for a point of 45 values. The
// stages of a round run once in every round.
const (
	costProject     = 0.55
	costTree        = 1.1
	costConnect     = 0.5
	costMovePoints  = 0.5
	costMoveEntries = 0.3
	costDescend     = 0.3
)

// progress turns the work of several goroutines into one rising fraction.
type progress struct {
	// mutex protects all fields except report and totalCost, which are set before the work starts.
	mutex  sync.Mutex
	report func(fraction float64)
	// totalCost is the cost of all stages, pastCost of the completed ones.
	totalCost, pastCost float64
	// The current stage costs stageCost and has completed doneItems of stageItems.
	stageCost             float64
	stageItems, doneItems int
	reported              float64 // last reported fraction
}

// newProgress returns a progress that calls report, which may be nil.
func newProgress(report func(fraction float64)) *progress { return &progress{report: report} }

// setRounds sets the total cost, of the stages of so many rounds and of the stages around them.
func (p *progress) setRounds(rounds int) {
	const round = costMovePoints + costMoveEntries + costDescend
	p.totalCost = costProject + costTree + costConnect + float64(rounds)*round + costMovePoints
}

// startStage ends the current stage and starts one with the given cost and number of
// items.
func (p *progress) startStage(cost float64, total int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.pastCost += p.stageCost
	p.stageCost, p.stageItems, p.doneItems = cost, max(1, total), 0
}

// add records that n more items of the stage are done.
func (p *progress) add(n int) {
	const minStep = 1.0 / 512 // finer than any progress bar
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.doneItems += n
	part := min(1, float64(p.doneItems)/float64(p.stageItems))
	fraction := (p.pastCost + p.stageCost*part) / p.totalCost
	if p.report != nil && fraction >= p.reported+minStep && fraction < 1 {
		p.reported = fraction
		p.report(fraction)
	}
}

// finish reports that all work is done.
func (p *progress) finish() {
	if p.report != nil {
		p.report(1)
	}
}
