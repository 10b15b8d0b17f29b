package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// startLimit is how long a process may take to say that it works.
	startLimit = 2 * time.Minute
	// stopLimit is how long it may take to end when it is told to.
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
	now *process // nil before the first start
}

// newServer returns a server that works on no jobs, not started yet.
func (w *world) newServer(ctx context.Context, name string, settings ...string) (*service, error) {
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	address := "127.0.0.1:" + strconv.Itoa(port)
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
			p.kill()
		}
		return nil
	})
	return s
}

// process returns the one that runs, or ran last.
func (s *service) process() *process {
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
	cmd := exec.Command(s.w.binary, s.args...) //nolint:noctx // it is killed, or told to stop
	cmd.Env = append(append(quietEnvironment(), s.w.settings...), s.settings...)
	cmd.Dir = s.w.dir
	// A group of its own: Ctrl-C is for us.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p, err := launch(cmd, log)
	if err != nil {
		return errors.Join(fmt.Errorf("start %s: %w", s.name, err), log.Close())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = p
	return nil
}

// await returns when it works.
func (s *service) await(ctx context.Context) error {
	if err := s.process().logged(ctx, s.ready, 1); err != nil {
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

// stop stops it as a supervisor does; it must end well, in time.
func (s *service) stop() error {
	p := s.process()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop %s: %w", s.name, err)
	}
	select {
	case <-p.ended:
	case <-time.After(stopLimit):
		p.kill()
		return fmt.Errorf("%s did not stop within %v", s.name, stopLimit)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("%s stopped with status %d", s.name, code)
	}
	return nil
}

// process is one that runs, or has run.
type process struct {
	cmd *exec.Cmd
	// ended is closed when it has ended and all that it logged was read.
	ended chan struct{}

	mu       sync.Mutex
	messages map[string]int // how often it logged each
	changed  chan struct{}  // closed and replaced with each line
}

// launch starts a command that logs lines of JSON on standard error, and copies
// them to the log, which it closes at the end.
func launch(cmd *exec.Cmd, log io.WriteCloser) (*process, error) {
	p := &process{cmd: cmd, ended: make(chan struct{}), messages: map[string]int{}, changed: make(chan struct{})}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go p.follow(stderr, log)
	return p, nil
}

// follow copies the log and counts its messages until the process has ended. What
// is no JSON, such as the trace of a panic, counts as a message itself.
func (p *process) follow(stderr io.Reader, log io.WriteCloser) {
	defer close(p.ended)
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20) // a line may hold a stack
	for lines.Scan() {
		_, _ = io.WriteString(log, lines.Text()+"\n") // a log that cannot be kept is no loss
		var record struct{ Msg string }
		if json.Unmarshal(lines.Bytes(), &record) != nil {
			record.Msg = lines.Text()
		}
		p.mu.Lock()
		p.messages[record.Msg]++
		close(p.changed)
		p.changed = make(chan struct{})
		p.mu.Unlock()
	}
	_ = p.cmd.Wait() // its ProcessState says how it ended
	_ = log.Close()
}

// logged waits until it has logged a message so many times. It is an error that it
// ends before, or that it takes longer than a start may.
func (p *process) logged(ctx context.Context, message string, times int) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		p.mu.Lock()
		seen, changed := p.messages[message], p.changed
		p.mu.Unlock()
		if seen >= times {
			return nil
		}
		select {
		case <-changed:
		case <-p.ended:
			if p.count(message) < times {
				return fmt.Errorf("it ended (%v) and did not log %q", p.cmd.ProcessState, message)
			}
		case <-ctx.Done():
			return fmt.Errorf("it did not log %q", message)
		}
	}
}

// count returns how often it has logged messages that begin so.
func (p *process) count(beginning string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	sum := 0
	for message, times := range p.messages {
		if strings.HasPrefix(message, beginning) {
			sum += times
		}
	}
	return sum
}

// kill ends it at once, as kill -9 does, and returns when it has ended.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	<-p.ended
}
