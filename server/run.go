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

// grace is how long what runs may take to end once the program is told to stop:
// requests, and the handing back of jobs, at the same time.
const grace = 15 * time.Second

// Serve is the command: it listens, opens and runs until ctx ends.
func (p *Program) Serve(ctx context.Context) error {
	if err := p.Listen(ctx); err != nil {
		return err
	}
	if err := p.serveInside(ctx); err != nil {
		return err
	}
	if err := p.Open(ctx); err != nil {
		return p.interrupted(ctx, err)
	}
	return p.interrupted(ctx, p.Run(ctx))
}

// Work is the command: it works on jobs until ctx ends.
func (p *Program) Work(ctx context.Context) error {
	if p.Config.Workers == 0 {
		return errors.New("PORTICO_WORKERS: 0 leaves a worker nothing to do")
	}
	if err := p.serveInside(ctx); err != nil {
		return err
	}
	if err := p.Open(ctx); err != nil {
		return p.interrupted(ctx, err)
	}
	w, err := p.startWorker(ctx)
	if err != nil {
		return p.interrupted(ctx, err)
	}
	p.Logger.Info("working", "jobs", p.Config.Workers)
	<-ctx.Done()
	p.stage.Store(int32(stopping))
	p.stopWorker(w)
	return nil
}

// interrupted makes no error of a start that was told to stop: whatever it was
// doing then has failed.
func (p *Program) interrupted(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	p.Logger.Info("stopped while starting", "error", err)
	return nil
}

// Run serves, and works on jobs unless told not to, until ctx ends; then it
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

// startWorker begins to work on jobs: ctx bounds the start, stopWorker ends it.
func (p *Program) startWorker(ctx context.Context) (*worker.Worker, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program that converts: %w", err)
	}
	w, err := worker.Start(ctx, worker.Options{
		DB: p.DB, Store: p.store, DatabaseURL: p.databaseURL,
		Program: []string{program}, WorkFolder: filepath.Join(p.Config.DataDir, "work"),
		ChildMemory: int64(p.Config.ConvertMemory),
		Jobs:        p.Config.Workers, JobTTL: p.Config.JobTTL, AuditRetention: time.Duration(p.Config.AuditRetention), Logger: p.Logger, Observe: p.metrics.attempt,
		Tracer: p.tracing.tracer(),
	})
	if err == nil {
		p.metrics.confine(w.Confinement())
	}
	return w, err
}

// stopWorker hands running jobs back. Where the database cannot be told, other
// workers miss the sign of life and take them: that is no error of the stop. One
// that hangs on a silent database is left behind when the grace is over.
func (p *Program) stopWorker(w *worker.Worker) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
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
