package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"portico/worker"
)

// stopTimeout limits a stop. Requests finish and jobs are handed back in parallel.
const stopTimeout = 15 * time.Second

// Serve listens, opens and runs until ctx ends. The caller closes the program.
func (p *Program) Serve(ctx context.Context) error {
	if err := p.Listen(ctx); err != nil {
		return err
	}
	if err := p.startOpsServer(ctx); err != nil {
		return err
	}
	if err := p.Open(ctx); err != nil {
		return p.unlessStopped(ctx, err)
	}
	return p.unlessStopped(ctx, p.Run(ctx))
}

// Work opens and works on jobs, without serving requests, until ctx ends. The caller closes
// the program.
func (p *Program) Work(ctx context.Context) error {
	if p.Config.Workers == 0 {
		return errors.New("PORTICO_WORKERS: must be at least 1 for portico worker")
	}
	if err := p.startOpsServer(ctx); err != nil {
		return err
	}
	if err := p.Open(ctx); err != nil {
		return p.unlessStopped(ctx, err)
	}
	w, err := p.startWorker(ctx)
	if err != nil {
		return p.unlessStopped(ctx, err)
	}
	p.Logger.Info("working", "jobs", p.Config.Workers)
	<-ctx.Done()
	p.stage.Store(int32(stopping))
	p.stopWorker(w)
	return nil
}

// unlessStopped returns err, or nil if ctx has ended: a program that is stopped while it
// starts always fails in some way, and yet the stop succeeded.
func (p *Program) unlessStopped(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	p.Logger.Info("stopped while starting", "error", err)
	return nil
}

// Run serves until ctx ends, and works on jobs unless Config.Workers is 0. Then it
// stops cleanly.
func (p *Program) Run(ctx context.Context) error {
	if p.Config.Workers == 0 {
		return p.serve(ctx)
	}
	w, err := p.startWorker(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		p.stopWorker(w)
	}()
	err = p.serve(ctx)
	cancel()
	<-stopped
	return err
}

// startWorker starts to work on jobs, until stopWorker. Ctx limits the start only.
func (p *Program) startWorker(ctx context.Context) (*worker.Worker, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program that converts: %w", err)
	}
	sender, err := p.Config.mail()
	if err != nil {
		return nil, err
	}
	webhooks, err := p.webhooks()
	if err != nil {
		return nil, err
	}
	w, err := worker.Start(ctx, worker.Options{
		DB: p.DB, Store: p.store, DatabaseURL: p.databaseURL,
		Program: []string{program}, WorkFolder: filepath.Join(p.Config.DataDir, "work"),
		ChildMemory: int64(p.Config.ConvertMemory),
		Jobs:        p.Config.Workers, JobTTL: max(p.Config.JobTTL, time.Duration(p.Config.JobHistory)), RiverTTL: p.Config.JobTTL, AuditRetention: time.Duration(p.Config.AuditRetention),
		History: p.Config.history(), Logger: p.Logger, Observe: p.metrics.observeAttempt,
		Tracer: p.tracing.tracer(), Mail: sender, Webhooks: webhooks, BaseURL: p.BaseURL(),
	})
	if err == nil {
		p.metrics.gaugeConfinement(w.Confinement())
	}
	return w, err
}

// stopWorker hands running jobs back. Without a database it cannot, but other workers take
// the jobs when their heartbeats are missing, so that is no error. A worker that hangs on a
// silent database is abandoned after stopTimeout.
func (p *Program) stopWorker(w *worker.Worker) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- w.Stop(ctx) }()
	var err error
	select {
	case err = <-stopped:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		p.Logger.Warn("stop the worker", "error", err)
	}
}
