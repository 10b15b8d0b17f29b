package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"portico/internal/testkit/program"
)

const (
	// startLimit is how long a program of others may take to answer.
	startLimit = 2 * time.Minute
	// stopLimit is how long a process may take to end after SIGTERM.
	stopLimit = time.Minute
)

// service is a part of an installation that a supervisor starts again when it
// has ended.
type service struct {
	w    *world
	name string
	args []string
	// settings are those that it has besides the world's.
	settings []string
	// ready is what it logs when it works.
	ready string
	// url is where a server answers; "" for a worker.
	url string

	// mu guards now: a reaper replaces it while clients and audits look at it.
	mu  sync.Mutex
	now *program.Process // nil before the first start
}

// newServer returns a server that works on no jobs, not started yet.
func (w *world) newServer(ctx context.Context, name string, settings ...string) (*service, error) {
	address, err := program.FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	settings = append([]string{"PORTICO_ADDR=" + address, "PORTICO_WORKERS=0"}, settings...)
	return w.supervise(&service{name: name, args: []string{"serve"}, settings: settings, ready: "serving", url: "http://" + address}), nil
}

// newWorker returns a worker, not started yet.
func (w *world) newWorker(name string) *service {
	return w.supervise(&service{name: name, args: []string{"worker"}, settings: []string{"PORTICO_WORKERS=2"}, ready: "working"})
}

// supervise has the service ended with the world. One that was told to stop by
// then is over already.
func (w *world) supervise(s *service) *service {
	s.w = w
	w.later(func() error {
		if p := s.process(); p != nil {
			p.Kill()
		}
		return nil
	})
	return s
}

// process returns the one that runs, or ran last.
func (s *service) process() *program.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// start starts it and does not wait until it works.
func (s *service) start() error {
	log, err := os.OpenFile(filepath.Join(s.w.dir, s.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := s.w.installation().Command(s.settings, s.args...)
	cmd.Dir = s.w.dir
	p, err := program.Start(cmd, log)
	if err != nil {
		return errors.Join(fmt.Errorf("start %s: %w", s.name, err), log.Close())
	}
	go func() {
		<-p.Ended
		_ = log.Close() // what it lacks is in the process's own log
	}()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = p
	return nil
}

// await returns when it works.
func (s *service) await(ctx context.Context) error {
	if _, err := s.process().Logged(ctx, s.ready); err != nil {
		return fmt.Errorf("start %s: %w", s.name, err)
	}
	return nil
}

// begin starts services and returns when all work.
func begin(ctx context.Context, all ...*service) error {
	for _, s := range all {
		if err := s.start(); err != nil {
			return err
		}
	}
	for _, s := range all {
		if err := s.await(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stop stops it as a supervisor does. It must end well, in time.
func (s *service) stop() error {
	if err := s.process().Stop(stopLimit); err != nil {
		return fmt.Errorf("stop %s: %w", s.name, err)
	}
	return nil
}
