// Package worker runs jobs. River assigns them, package splat reads and converts
// captures, and one transaction stores the result and ends the job.
//
// A job survives its process. Each worker extends the leases of its jobs with every
// heartbeat; when a lease runs out, another worker starts the job again, perhaps while the
// first attempt still runs. So two attempts at a job do not disturb each other: both write
// extracted files under the same names, with the same content, and everything else into a
// folder of the attempt's own.
//
// Captures are read and written by child processes (package child), so that a
// hostile capture cannot crash the server. Package server is the only user.
package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"go.opentelemetry.io/otel/trace"

	"portico/db"
	"portico/internal/background"
	"portico/model"
	"portico/splat/archive"
	"portico/storage"
	"portico/worker/child"
	"portico/worker/mail"
	"portico/worker/webhook"
)

// Options are the dependencies and settings of a worker.
type Options struct {
	DB    *db.DB
	Store storage.Store
	// Jobs is the maximum number of large jobs that run at the same time, at least 1. The
	// same number of small jobs may run beside them.
	Jobs int
	// JobRetention is how long a job is stored after it has ended.
	JobRetention time.Duration
	// RiverRetention is how long River's row of a job is stored after the job has ended; 0 means
	// JobRetention. Nobody reads such rows, and River is slower with many of them.
	RiverRetention time.Duration
	// AuditRetention is how long the audit trail keeps an event; 0 means 90 days. The
	// minimum is a day.
	AuditRetention time.Duration
	// History bounds the histories of spaces. The zero value keeps none.
	History model.HistoryLimits
	// Limits bound what an archive may contain. The zero value means archive.DefaultLimits
	// with AnyTile.
	Limits archive.Limits
	// Program is the command, with its first arguments, that converts captures and inspects
	// files: portico itself. A worker without it refuses conversions, and leaves the
	// inspection of files to other workers.
	Program []string
	// WorkFolder is the folder for temporary files of conversions. Its disk needs room
	// for unpacked captures and for their results. Workers may share the folder, and
	// no other program may use it. "" means a folder of the current user in the
	// system's temporary folder.
	WorkFolder string
	// ChildMemory is the memory limit of each child, in bytes; 0 means 2 GiB, which is
	// enough for captures of 50 million Gaussians. At most 2*Jobs + max(1, Jobs/2) + 2 children
	// run at the same time: each place in the queues for jobs and background work has one.
	ChildMemory int64
	// SilenceTimeout is how long a conversion may run without output, not counting the time
	// in which it waits for a processor; 0 means a minute.
	SilenceTimeout time.Duration
	// Lease is how long after its last heartbeat a worker loses its jobs to others; 0
	// means 15 s. All workers of a database must use the same value.
	Lease time.Duration
	// Heartbeat is the interval at which a worker extends its leases and looks for leases
	// that have run out; 0 means 3 s. A lease must span several intervals, so that one late
	// heartbeat loses no job.
	Heartbeat time.Duration
	// Mail sends mail; nil means that this worker leaves it to others.
	Mail *mail.Sender
	// Webhooks are the settings of webhooks; without Open this worker leaves them to others.
	Webhooks Webhooks
	// BaseURL is the public address, which links in mail start with.
	BaseURL string
	Logger  *slog.Logger
	// Tracer records a span for each attempt at a job; nil means no spans.
	Tracer trace.Tracer
	// Observe is called for each attempt that has ended; nil means no calls. It is called
	// concurrently.
	Observe func(Attempt)
}

const (
	// attemptTimeout is the time limit of one attempt.
	attemptTimeout   = 6 * time.Hour
	defaultLease     = 15 * time.Second
	defaultHeartbeat = 3 * time.Second
	// stopGrace is how long Stop waits before it cancels jobs: short jobs can complete.
	stopGrace = 5 * time.Second

	defaultChildMemory    = 2 << 30
	defaultAuditRetention = 90 * 24 * time.Hour
)

// Worker runs jobs from Start to Stop.
type Worker struct {
	Options

	// children starts the processes that read captures.
	children *child.Runner

	storeTimeout time.Duration // maxStoreTime; tests shorten it

	// pool contains River's connections. The other statements use Options.DB.
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]

	stopping atomic.Bool // whether Stop was called

	loops background.Group // keepLeases, rankQueue, pollEvents and removeLeftoversUntilDone

	// extensions and rescues log the outages of the two halves of heartbeat.
	extensions, rescues background.OutageLog

	mu      sync.Mutex
	running map[int64]int // attempts in this process, by River's job id
	// firstBeat and lastBeat are of the successful heartbeats since the last gap: see
	// heartbeatsCoverLease.
	firstBeat, lastBeat time.Time
}

// Start connects River and starts to take jobs. The worker outlives ctx: Stop stops
// it.
func Start(ctx context.Context, o Options) (*Worker, error) {
	o.Lease, o.Heartbeat = cmp.Or(o.Lease, defaultLease), cmp.Or(o.Heartbeat, defaultHeartbeat)
	o.RiverRetention = cmp.Or(o.RiverRetention, o.JobRetention)
	o.AuditRetention = cmp.Or(o.AuditRetention, defaultAuditRetention)
	o.ChildMemory, o.SilenceTimeout = cmp.Or(o.ChildMemory, defaultChildMemory), cmp.Or(o.SilenceTimeout, defaultSilenceTimeout)
	if o.Limits == (archive.Limits{}) {
		o.Limits = archive.DefaultLimits()
		// The API identifies tiles by their names, and only viewers read their content.
		o.Limits.AnyTile = true
	}
	if len(o.Program) > 0 {
		var err error
		if o.WorkFolder, err = resolveWorkFolder(o.WorkFolder); err != nil {
			return nil, err
		}
	}
	w := newWorker(o)
	if len(o.Program) > 0 {
		if err := w.findConfinement(ctx); err != nil {
			return nil, err
		}
	}
	pool, err := o.DB.QueuePool(ctx, int32(min(4+o.Jobs, 50)))
	if err != nil {
		return nil, err
	}
	w.pool = pool
	if w.client, err = w.newClient(); err != nil {
		pool.Close()
		return nil, fmt.Errorf("configure the queue: %w", err)
	}
	// Stop stops River and ends the loops in its own order, so neither may end with ctx.
	if err := w.client.Start(context.WithoutCancel(ctx)); err != nil {
		pool.Close()
		return nil, fmt.Errorf("start the queue: %w", err)
	}
	w.loops.Go(w.keepLeases)
	w.loops.Go(w.rankQueue)
	if w.Webhooks.Open != nil {
		w.loops.Go(w.pollEvents)
	}
	if len(o.Program) > 0 {
		w.loops.Go(w.removeLeftoversUntilDone)
	}
	return w, nil
}

// findConfinement finds the measures that confine children. It tries them with a folder like those of
// jobs. A full disk has no room for one, and the server must start all the same.
func (w *Worker) findConfinement(ctx context.Context) error {
	folder, err := newWorkFolder(w.WorkFolder, "probe")
	if err != nil {
		return w.children.FindConfinement(ctx, "")
	}
	return errors.Join(w.children.FindConfinement(ctx, folder.path), folder.remove())
}

// Confinement reports for each measure whether it confines this worker's children.
// It returns nil if the worker has no children.
func (w *Worker) Confinement() map[string]bool {
	if len(w.Program) == 0 {
		return nil
	}
	return w.children.Confinement()
}

// newClient returns River's client with a worker for each kind of job.
func (w *Worker) newClient() (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &jobWorker{w: w})
	river.AddWorker(workers, &purgeWorker{w: w})
	river.AddWorker(workers, &rebuildWorker{w: w})
	river.AddWorker(workers, &sampleWorker{w: w})
	river.AddWorker(workers, &fileWorker[preparationArgs]{w: w, work: preparationWork})
	river.AddWorker(workers, &fileWorker[viewArgs]{w: w, work: viewWork})
	river.AddWorker(workers, &fileWorker[collisionArgs]{w: w, work: collisionWork})
	river.AddWorker(workers, &fileWorker[formatArgs]{w: w, work: formatWork})
	river.AddWorker(workers, &mailWorker{w: w})
	river.AddWorker(workers, &webhookWorker{w: w, sender: webhook.NewSender(w.Webhooks.Allowed)})
	return river.NewClient(riverpgxv5.New(w.pool), &river.Config{
		Queues:       w.queues(),
		Workers:      workers,
		PeriodicJobs: periodicJobs(),
		// River's reindexer must own the tables. rebuildWorker needs no such role.
		ReindexerIndexNames: []string{},
		JobTimeout:          attemptTimeout,
		// Leases find dead workers. River's rescuer knows only the age of an attempt, so it
		// must not act before the longest attempt has ended.
		RescueStuckJobsAfter:        2 * attemptTimeout,
		CompletedJobRetentionPeriod: w.RiverRetention,
		CancelledJobRetentionPeriod: w.RiverRetention,
		DiscardedJobRetentionPeriod: w.RiverRetention,
		Logger:                      slog.New(riverHandler{w.Logger.Handler(), w.stopping.Load}),
	})
}

// queues returns the queues that the worker takes jobs from, and how many of each it
// runs at a time. Each kind of work has its own queue, so that short work does not
// wait behind long work.
func (w *Worker) queues() map[string]river.QueueConfig {
	queues := map[string]river.QueueConfig{
		db.JobQueue: {MaxWorkers: w.Jobs}, db.SmallJobQueue: {MaxWorkers: w.Jobs},
		purgeQueue: {MaxWorkers: 1}, periodicQueue: {MaxWorkers: 1},
	}
	if len(w.Program) > 0 {
		// Clients wait for jobs, but not for these, so jobs get most of the processors.
		queues[db.PreparationKind] = river.QueueConfig{MaxWorkers: max(1, w.Jobs/2)}
		queues[db.ViewKind] = river.QueueConfig{MaxWorkers: 1}
		queues[db.CollisionKind] = river.QueueConfig{MaxWorkers: 1}
		queues[db.FormatKind] = river.QueueConfig{MaxWorkers: 1}
	}
	if w.Webhooks.Open != nil {
		queues[db.WebhookKind] = river.QueueConfig{MaxWorkers: maxWebhookJobs}
	}
	if w.Mail != nil {
		queues[db.MailKind] = river.QueueConfig{MaxWorkers: maxMails}
	}
	return queues
}

// newWorker returns a worker that is not started. The options have their defaults
// filled in.
func newWorker(o Options) *Worker {
	return &Worker{
		Options: o, running: map[int64]int{}, storeTimeout: maxStoreTime,
		children: &child.Runner{Program: o.Program, Memory: o.ChildMemory, Logger: o.Logger},
	}
}

// Stop takes no more jobs, waits stopGrace for the running jobs, and returns the others to the
// queue. It returns when everything has stopped, or with an error when ctx ends. It may be called
// again after an error.
func (w *Worker) Stop(ctx context.Context) error {
	w.stopping.Store(true)
	soft, cancel := context.WithTimeout(ctx, stopGrace)
	defer cancel()
	err := w.client.Stop(soft)
	if err != nil { // some jobs still run after the grace period
		err = w.client.StopAndCancel(ctx)
	}
	// The heartbeat must not stop earlier: a job can be returned only while its lease lasts.
	if loopsErr := w.loops.StopContext(ctx); loopsErr != nil {
		err = errors.Join(err, fmt.Errorf("stop the loops of the worker: %w", loopsErr))
	}
	if err != nil {
		// A job or a loop that still runs may use the pool. Close would wait for its connections,
		// without a limit, and refuse it new ones.
		return err
	}
	w.pool.Close()
	return nil
}
