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
	// startTimeout is how long another program may take to answer.
	startTimeout = 2 * time.Minute
	// stopTimeout is how long a process may take to end after SIGTERM.
	stopTimeout = time.Minute
)

// service is a process of an installation that a supervisor restarts when it has ended.
//
// The life of a service is start, awaitReady, and stop or a kill, after which it may start again.
// All its processes append to one log, NAME.log in the folder of the world.
type service struct {
	w    *world
	name string
	args []string
	// settings are its variables besides the world's.
	settings []string
	// ready is the message that it logs when it is ready.
	ready string
	// url is the base URL of a server, "" for a worker.
	url string

	// mu guards now: killRepeatedly replaces it while clients and audits look at it.
	mu  sync.Mutex
	now *program.Process // nil before the first start
}

// newServer returns a server without workers. It is not started yet.
func (w *world) newServer(ctx context.Context, name string, settings ...string) (*service, error) {
	address, err := program.FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	settings = append([]string{"PORTICO_ADDR=" + address, "PORTICO_WORKERS=0"}, settings...)
	return w.supervise(&service{name: name, args: []string{"serve"}, settings: settings, ready: "serving", url: "http://" + address}), nil
}

// newWorker returns a worker. It is not started yet.
func (w *world) newWorker(name string) *service {
	return w.supervise(&service{name: name, args: []string{"worker"}, settings: []string{"PORTICO_WORKERS=2"}, ready: "working"})
}

// supervise has the service killed when the world closes, unless it was stopped before.
func (w *world) supervise(s *service) *service {
	s.w = w
	w.onClose(func() error {
		if p := s.process(); p != nil {
			p.Kill()
		}
		return nil
	})
	return s
}

// process returns the process that runs, or ran last.
func (s *service) process() *program.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// start starts the process and does not wait until it is ready.
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

// awaitReady waits until the process is ready.
func (s *service) awaitReady(ctx context.Context) error {
	if _, err := s.process().Logged(ctx, s.ready); err != nil {
		return fmt.Errorf("start %s: %w", s.name, err)
	}
	return nil
}

// startAll starts services and waits until all are ready.
func startAll(ctx context.Context, all ...*service) error {
	for _, s := range all {
		if err := s.start(); err != nil {
			return err
		}
	}
	for _, s := range all {
		if err := s.awaitReady(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stop stops the process as a supervisor does. It must exit with 0, in time.
func (s *service) stop() error {
	if err := s.process().Stop(stopTimeout); err != nil {
		return fmt.Errorf("stop %s: %w", s.name, err)
	}
	return nil
}
