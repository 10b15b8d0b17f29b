// Package worker runs the jobs: River hands them out, package splat knows what
// is in them, and the result is stored in one transaction. A job survives its
// process: another worker notices that the lease is not extended any more and
// begins again. Captures are read and written by children, processes of their
// own, so that a hostile one ends no server. Only cmd uses this package.
package worker

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"go.opentelemetry.io/otel/trace"

	"portico/db"
	"portico/splat/archive"
	"portico/storage"
	"portico/worker/child"
)

// Options says what a worker works with.
type Options struct {
	DB    *db.DB
	Store storage.Store
	// DatabaseURL is where River connects by itself.
	DatabaseURL string
	// Jobs is how many large jobs run at a time, at least 1. As many small ones
	// run beside them.
	Jobs int
	// JobTTL is how long a job is remembered after it ended.
	JobTTL time.Duration
	// AuditRetention is how long the audit trail keeps an event; 0 is 90 days, and a
	// day is the minimum.
	AuditRetention time.Duration
	// Limits bound what an archive may hold; the zero value is
	// archive.DefaultLimits.
	Limits archive.Limits
	// Program is the command, with its first arguments, that converts captures
	// and looks into files: portico itself. Empty, captures are not converted, and
	// files are looked into by other workers.
	Program []string
	// WorkFolder is where captures are worked on: room for what a capture unpacks
	// to and for what is made of it. Workers may share it; nobody else uses it.
	// Empty, it is a folder of this user's in the system's for temporary files.
	WorkFolder string
	// ChildMemory bounds the memory of each child, in bytes; 0 is 2 GiB, which is
	// enough for captures of 50 million Gaussians. At most three times Jobs, and
	// one more, run at a time.
	ChildMemory int64
	// Silence is how long a conversion may give no sign of life; 0 is a minute.
	Silence time.Duration
	// Lease is how long a job waits for a sign of life of its worker before it
	// is given to another; 0 is 15 s. All workers of a database take the same.
	Lease time.Duration
	// Beat is how often a worker gives one, and looks for jobs without; 0 is
	// 3 s. A lease holds several of them, so that one that is late costs no job.
	Beat   time.Duration
	Logger *slog.Logger
	// Tracer makes a span of each attempt at a job; nil makes none.
	Tracer trace.Tracer
	// Observe is called for each attempt that has ended; nil means no calls. It is
	// called by several goroutines at once.
	Observe func(Attempt)
}

// The times of a job.
const (
	// attemptTimeout is the time limit of one attempt.
	attemptTimeout = 6 * time.Hour
	defaultLease   = 15 * time.Second
	defaultBeat    = 3 * time.Second
	// stopGrace is how long Stop waits for jobs that are about to end.
	stopGrace = 5 * time.Second

	defaultChildMemory    = 2 << 30
	defaultAuditRetention = 90 * 24 * time.Hour
)

// Worker runs jobs from Start to Stop.
type Worker struct {
	Options

	children *child.Runner

	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]

	cancel context.CancelFunc
	loops  sync.WaitGroup

	mu      sync.Mutex
	running map[int64]int // River's ids of the jobs that this process works on
}

// Start connects River and begins to work. The end of ctx does not end it: Stop
// does.
func Start(ctx context.Context, o Options) (*Worker, error) {
	o.Lease, o.Beat = cmp.Or(o.Lease, defaultLease), cmp.Or(o.Beat, defaultBeat)
	o.AuditRetention = cmp.Or(o.AuditRetention, defaultAuditRetention)
	o.ChildMemory, o.Silence = cmp.Or(o.ChildMemory, defaultChildMemory), cmp.Or(o.Silence, defaultSilence)
	if o.Limits == (archive.Limits{}) {
		o.Limits = archive.DefaultLimits()
		// The contract keeps tiles by their name; what is in them is the viewer's.
		o.Limits.AnyTile = true
	}
	if len(o.Program) > 0 {
		var err error
		if o.WorkFolder, err = workFolderOf(o.WorkFolder); err != nil {
			return nil, err
		}
	}
	w := newWorker(o)
	if len(o.Program) > 0 {
		if err := w.children.FindConfinement(ctx); err != nil {
			return nil, err
		}
	}
	pool, err := db.Pool(ctx, o.DatabaseURL, int32(min(4+o.Jobs, 50)))
	if err != nil {
		return nil, err
	}
	w.pool = pool
	if w.client, err = w.newClient(); err != nil {
		pool.Close()
		return nil, fmt.Errorf("configure the queue: %w", err)
	}
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w.cancel = cancel
	if err := w.client.Start(background); err != nil {
		cancel()
		pool.Close()
		return nil, fmt.Errorf("start the queue: %w", err)
	}
	w.loops.Go(func() { w.keepLeases(background) })
	if len(o.Program) > 0 {
		w.loops.Go(func() { w.keepSwept(background) })
	}
	return w, nil
}

// Confinement reports for each measure whether it confines this worker's children;
// nil if it has none.
func (w *Worker) Confinement() map[string]bool {
	if len(w.Program) == 0 {
		return nil
	}
	return w.children.Confinement()
}

func (w *Worker) newClient() (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &jobWorker{w: w})
	river.AddWorker(workers, &purgeWorker{w: w})
	river.AddWorker(workers, &rebuildWorker{w: w})
	river.AddWorker(workers, &preparationWorker{w: w})
	river.AddWorker(workers, &viewWorker{w: w})
	return river.NewClient(riverpgxv5.New(w.pool), &river.Config{
		Queues:       w.queues(),
		Workers:      workers,
		PeriodicJobs: []*river.PeriodicJob{periodicPurge(), periodicRebuild()},
		// periodicRebuild does it with the rights that the application has.
		ReindexerIndexNames: []string{},
		JobTimeout:          attemptTimeout,
		// Our leases find dead workers; River's rescuer knows no heartbeat.
		RescueStuckJobsAfter:        2 * attemptTimeout,
		CompletedJobRetentionPeriod: w.JobTTL,
		CancelledJobRetentionPeriod: w.JobTTL,
		DiscardedJobRetentionPeriod: w.JobTTL,
		Logger:                      slog.New(quiet{w.Logger.Handler()}),
	})
}

// queues returns what the worker takes, and how many of it at a time. Each kind
// of work has a queue, so that none waits behind another's long work.
func (w *Worker) queues() map[string]river.QueueConfig {
	queues := map[string]river.QueueConfig{
		db.JobQueue: {MaxWorkers: w.Jobs}, db.SmallJobQueue: {MaxWorkers: w.Jobs}, purgeQueue: {MaxWorkers: 1},
	}
	if len(w.Program) > 0 {
		// Jobs that somebody waits for come first.
		queues[db.PreparationKind] = river.QueueConfig{MaxWorkers: max(1, w.Jobs/2)}
		queues[db.ViewKind] = river.QueueConfig{MaxWorkers: 1}
	}
	return queues
}

// newWorker returns a worker that does nothing yet, with options that have no zero
// values any more.
func newWorker(o Options) *Worker {
	return &Worker{
		Options: o, running: map[int64]int{},
		children: &child.Runner{Program: o.Program, Memory: o.ChildMemory, Logger: o.Logger},
	}
}

// Stop takes no more jobs, waits a moment for those that are about to end and
// hands the others back. It returns when nothing runs any more, or with an error
// at the end of ctx.
func (w *Worker) Stop(ctx context.Context) error {
	soft, cancel := context.WithTimeout(ctx, stopGrace)
	defer cancel()
	err := w.client.Stop(soft)
	if err != nil { // still working when the time was up
		err = w.client.StopAndCancel(ctx)
	}
	// Until here the leases were kept: the jobs were ours to hand back.
	w.cancel()
	w.loops.Wait()
	w.pool.Close()
	return err
}
