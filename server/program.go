package server

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"portico/auth"
	"portico/db"
	"portico/model"
	"portico/server/observe"
	"portico/server/settings"
	"portico/storage"
)

// Program is a server or a worker with everything that its Config describes. Set Config and
// Logger, then call Serve or Work, and Close after either. Serve calls Listen, Open and Run, which
// tests call themselves. Commands on a database call OpenDatabase instead.
//
// The order of the calls, and what each needs:
//
//	Listen   the port; BaseURL is known afterwards
//	Open     database, metrics, store; may take minutes for a migration
//	Run      requests and jobs until ctx ends
//	Close    everything, in the opposite order
//
// What only a server has is in the Listener and the application, except for the address that BaseURL
// needs.
type Program struct {
	Config settings.Config
	Logger *slog.Logger
	// Settings are the settings of Config as operators see them. Nil means that operators see no
	// settings.
	Settings []*model.Setting

	// Opened by OpenDatabase.
	DB          *db.DB
	Keys        *auth.Keys
	databaseURL string
	secret      []byte
	// clusterFolder is the folder of the private Postgres; empty for a database of the operator's.
	clusterFolder string

	// Opened by Open.
	tracing *observe.Tracing // nil if tracing is off
	metrics *observe.Metrics
	store   storage.Store

	// address is the address that Listen has opened, or "": see listenAddress.
	address string
	// otherLoopbackTaken reports whether another program listens at the other loopback
	// address, so that the addresses of files cannot use it.
	otherLoopbackTaken bool

	stage     currentStage
	readiness readiness

	// closers are the functions that Close calls, from the last to the first.
	closers []func(context.Context) error

	// stopDeadline is the end of the stop, set once by stopContext.
	stopDeadline time.Time
	stopStarted  sync.Once
}

// Serve runs the server until ctx ends. The caller closes the program.
func (p *Program) Serve(ctx context.Context) error {
	listener, err := p.Listen(ctx)
	if err != nil {
		return err
	}
	if err := p.startMetricsServer(ctx); err != nil {
		return err
	}
	if err := p.Open(ctx); err != nil {
		return p.unlessStopped(ctx, err)
	}
	return p.Run(ctx, listener)
}

// Work runs jobs, without serving requests, until ctx ends. The caller closes the program.
func (p *Program) Work(ctx context.Context) error {
	if p.Config.Workers == 0 {
		return errors.New("PORTICO_WORKERS: must be at least 1 for portico worker")
	}
	if err := p.startMetricsServer(ctx); err != nil {
		return err
	}
	if err := p.Open(ctx); err != nil {
		return p.unlessStopped(ctx, err)
	}
	w, err := p.startWorker(ctx)
	if err != nil {
		return p.unlessStopped(ctx, err)
	}
	p.stage.enter(running)
	p.Logger.Info("working", "jobs", p.Config.Workers)
	<-ctx.Done()
	p.stage.enter(stopping)
	p.stopWorker(w.Stop)
	return nil
}

// Open opens everything that both a server and a worker use: tracing, the database, metrics and
// the store.
func (p *Program) Open(ctx context.Context) (err error) {
	if p.tracing, err = observe.StartTracing(ctx, Version()); err != nil {
		return err
	}
	p.onCloseWithContext(func(ctx context.Context) error {
		p.tracing.Close(ctx, p.Logger)
		return nil
	})
	if err := p.OpenDatabase(ctx); err != nil {
		return err
	}
	p.metrics = observe.NewMetrics(Version(), p.DB, p.Logger, func() bool { return p.stage.current() == stopping })
	if p.store, err = p.openStore(ctx); err != nil {
		return err
	}
	p.onCloseWithContext(func(ctx context.Context) error { // its check uses the database and the store
		p.readiness.close(ctx)
		return nil
	})
	return nil
}

// Run serves the requests that the listener accepts until ctx ends, and works on jobs unless
// Config.Workers is 0. It returns when the requests and jobs have stopped.
//
// The server and the worker stop at the same time, each within drainTimeout.
func (p *Program) Run(ctx context.Context, listener *Listener) error {
	if p.Config.Workers == 0 {
		return p.serve(ctx, listener)
	}
	w, err := p.startWorker(ctx)
	if err != nil {
		return p.unlessStopped(ctx, err)
	}
	// The worker stops with the server, even if the server fails while ctx is not done.
	ctx, cancel := context.WithCancel(ctx)
	var workerStop sync.WaitGroup
	workerStop.Go(func() {
		<-ctx.Done()
		p.stopWorker(w.Stop)
	})
	defer workerStop.Wait()
	defer cancel()
	return p.serve(ctx, listener)
}

// unlessStopped returns err, or nil if ctx has ended. A program that is stopped fails with some
// error, but the stop itself has succeeded.
func (p *Program) unlessStopped(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	p.Logger.Info("stopped with an error", "error", err)
	return nil
}

// stage is a stage in the life cycle of a program.
type stage int32

// Only a running program is ready: see readyz.
const (
	starting stage = iota
	running
	stopping
)

// currentStage is the stage that a program is in, at first starting. Probes read it while the
// program changes it.
type currentStage struct{ value atomic.Int32 }

// enter changes the stage.
func (c *currentStage) enter(s stage) { c.value.Store(int32(s)) }

// current returns the stage.
func (c *currentStage) current() stage { return stage(c.value.Load()) }
