package worker

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"time"

	"portico/internal/background"
	"portico/model"
	"portico/splat/archive"
)

const (
	// minReportInterval is the minimum time between two reports. Each report writes to the
	// database and notifies subscribers.
	minReportInterval = 250 * time.Millisecond
	// maxReportInterval is the maximum time between two reports. The last report is repeated
	// if there is nothing new, because the response says whether the job was canceled.
	maxReportInterval = time.Second
	// reportTimeout is the time limit of a report. The end of an attempt waits for the report that
	// is being stored, even when the database does not answer.
	reportTimeout = 5 * time.Second
)

// errLost is the error of an attempt whose job was canceled or given to another
// attempt.
var errLost = errors.New("the job was canceled or belongs to another attempt")

// reporter stores the progress of an attempt in a separate goroutine, so that the
// work never waits for the database. It is used once.
//
// run is the only goroutine that writes to the job during the work. set only stores the progress in
// memory, and may be called from any goroutine, any number of times a second.
type reporter struct {
	// store stores a report and reports whether the job still belongs to the attempt.
	store func(ctx context.Context, percent float64, step model.JobStep) (current bool, err error)
	// cancel is called with errLost when the job no longer belongs to the attempt.
	cancel context.CancelCauseFunc
	log    *slog.Logger

	loop   background.Group // run
	outage background.OutageLog

	mu      sync.Mutex
	percent float64
	step    model.JobStep // without a name before the first call of set
	unsent  bool          // there is progress since the last report
}

// start starts the reports. They end with stop or with ctx. The context of a group has no trace, so
// their statements record no spans: the reports of a job that takes hours would outnumber all other
// spans of the trace.
func (r *reporter) start(ctx context.Context) {
	r.loop.Go(func(loop context.Context) {
		defer context.AfterFunc(ctx, r.loop.Cancel)()
		r.run(loop)
	})
}

// stop ends the reports and waits for the one that is being stored. It may be called twice, and
// before start.
func (r *reporter) stop() { r.loop.Stop() }

// set records progress for the next report. The percentage never falls.
func (r *reporter) set(percent float64, step model.JobStep) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.percent, r.step, r.unsent = max(r.percent, percent), step, true
}

// next returns the next report, if there is one. With force it repeats the last report if
// there is no progress. Percentages are rounded down to whole numbers, because clients take
// 100 for the end.
func (r *reporter) next(force bool) (percent float64, step model.JobStep, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.step.Name == "" || !r.unsent && !force {
		return 0, model.JobStep{}, false
	}
	r.unsent = false
	return math.Floor(r.percent), r.step, true
}

// run sends reports until ctx ends or the job is lost.
func (r *reporter) run(ctx context.Context) {
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(minReportInterval):
		}
		percent, step, ok := r.next(time.Since(last) >= maxReportInterval)
		if !ok {
			continue
		}
		last = time.Now()
		if !r.send(ctx, percent, step) {
			return
		}
	}
}

// send stores a report and reports whether to continue. A report that cannot be stored does
// not stop the work: storing the result checks again which attempt is the current one.
func (r *reporter) send(ctx context.Context, percent float64, step model.JobStep) bool {
	// Canceling a running statement would close its connection.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportTimeout)
	defer cancel()
	current, err := r.store(ctx, percent, step)
	r.outage.Record(r.log, err, "report progress", "progress is reported again")
	if err != nil {
		return true
	}
	if !current {
		r.cancel(errLost)
	}
	return current
}

// The progress at the end of a job's steps, in percent.
const (
	percentOpened = 2.0  // the archive's directory is read
	percentStored = 99.0 // all files are stored

	// The steps of a conversion. The child's own percentages fill the range between
	// the last two.
	percentArchiveRead = 5.0  // the archive is opened: its extraction starts
	percentPrepared    = 20.0 // the input is on this machine
	percentConverted   = 95.0 // the result is on this machine
)

// fileCost is the number of bytes that take about as long to store as one more file: a store
// spends milliseconds on each file. Without it the progress of an archive of many small files
// would not move, since nearly all bytes may be in one file.
const fileCost = 64 << 10

// workload is an amount of work: files and the bytes in them.
type workload struct {
	files int
	bytes int64
}

// cost returns the workload as a number of bytes that would take as long.
func (w workload) cost() int64 { return int64(w.files)*fileCost + w.bytes }

// percentAt returns the percentage at done of total, in the range from one percentage
// to another.
func percentAt(from, to float64, done, total int64) float64 {
	if total <= 0 {
		return to
	}
	return from + (to-from)*float64(done)/float64(total)
}

// reportSteps returns a function that reports the progress of a step that reads an archive. from and
// to are percentages of the job, here and below.
func (a *attempt) reportSteps(name model.JobStepName, from, to float64) archive.Progress {
	report := a.reportFiles(name, from, to)
	return func(s archive.Step) { report(workload{s.FilesDone, s.BytesDone}, workload{s.Files, s.Bytes}) }
}

// reportFiles returns a function that reports the progress of a step that stores or reads files.
func (a *attempt) reportFiles(name model.JobStepName, from, to float64) func(done, total workload) {
	return func(done, total workload) {
		step := model.JobStep{Name: name, Done: int64(done.files), Total: int64(total.files)}
		a.progress.set(percentAt(from, to, done.cost(), total.cost()), step)
	}
}

// reportCopy returns a function that reports how much of a file was copied to this
// machine.
func (a *attempt) reportCopy(from, to float64) copyProgress {
	return func(done, total int64) {
		a.progress.set(percentAt(from, to, done, total), model.JobStep{Name: model.JobReadingFile, Done: done, Total: total})
	}
}

// reportConversion returns a function that reports a child's progress. The figures of the step are
// the child's percentage, because the figures in the child's message are of a part of its work.
func (a *attempt) reportConversion(name model.JobStepName, from, to float64) func(percent float64, message string) {
	return func(percent float64, message string) {
		step := model.JobStep{Name: name, Done: int64(percent), Total: 100, Detail: message}
		a.progress.set(from+(to-from)*percent/100, step)
	}
}
