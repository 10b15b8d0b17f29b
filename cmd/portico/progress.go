package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"portico/server"
	"portico/splat"
	"portico/worker/child"
)

// spatialFlags are the flags of the commands that read captures.
type spatialFlags struct {
	JSON   bool        `help:"Print JSON lines: progress, then the result or the error."`
	Memory server.Size `help:"Memory limit. Without it: the memory of the machine." placeholder:"BYTES"`
}

// progress is the output of a spatial command: JSON lines for a program, or a bar on
// a terminal and the result for people.
type progress struct {
	lines *child.Lines // nil without --json
	out   io.Writer
	bar   *progressBar // nil without a terminal
}

// newProgress returns the output that the flags select.
func (f *spatialFlags) newProgress(in *invocation) *progress {
	p := &progress{out: in.out}
	switch {
	case f.JSON:
		p.lines = &child.Lines{Out: in.out}
	case in.terminal != nil && isTerminal(in.terminal):
		p.bar = &progressBar{terminal: in.terminal}
	}
	return p
}

// report shows the percentage of the work that is done.
func (p *progress) report(percent float64, message string) {
	switch {
	case p.lines != nil:
		p.lines.Progress(percent, message)
	case p.bar != nil:
		p.bar.draw(percent, message)
	}
}

// printResult prints the result as JSON, or calls print for people.
func (p *progress) printResult(v any, print func(io.Writer) error) error {
	p.bar.clear()
	if p.lines != nil {
		return p.lines.Result(v)
	}
	return print(p.out)
}

// finish returns the error that the command ends with. A fault of the user's file has its
// own exit code, so that scripts can distinguish it from a failure of the machine.
func (p *progress) finish(err error) error {
	p.bar.clear()
	if coded, ok := errors.AsType[*exitError](err); ok && coded.code == exitMemory && p.lines != nil {
		return errors.Join(&exitError{code: exitMemory, err: errLogged}, p.lines.Fault(coded.err))
	}
	fault, ok := errors.AsType[*splat.InputError](err)
	if !ok {
		return err
	}
	if p.lines != nil {
		return errors.Join(&exitError{code: exitInput, err: errLogged}, p.lines.Fault(fault))
	}
	return &exitError{code: exitInput, err: fault}
}

// drawInterval is the minimum time between two changes of a progress bar.
const drawInterval = 250 * time.Millisecond

// progressBar is a line of a terminal that shows the progress. A nil bar shows nothing.
type progressBar struct {
	terminal io.Writer

	mu      sync.Mutex
	percent float64
	drawn   time.Time // the zero time if the line is empty
}

// draw draws the bar at most once in drawInterval. The bar never gets shorter.
func (b *progressBar) draw(percent float64, message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.percent = max(b.percent, percent)
	now := time.Now()
	if now.Sub(b.drawn) < drawInterval {
		return
	}
	b.drawn = now
	const width = 30
	full := int(b.percent / 100 * width)
	bar := strings.Repeat("#", full) + strings.Repeat(".", width-full)
	_, _ = fmt.Fprintf(b.terminal, "\r\x1b[K[%s] %3.0f %% %s", bar, math.Floor(b.percent), message) // a terminal that is gone needs no bar
}

// clear removes the bar.
func (b *progressBar) clear() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.drawn.IsZero() {
		_, _ = fmt.Fprint(b.terminal, "\r\x1b[K") // as above
	}
}

// The exit codes besides 0. A crash of the Go runtime has exitInput too, but prints no
// fault.
const (
	exitFailed = 1
	exitInput  = child.ExitInput
	exitMemory = 3 // out of memory
)

// exitError is an error with an exit code of its own.
type exitError struct {
	code int
	err  error
}

// Error returns the cause's message.
func (e *exitError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *exitError) Unwrap() error { return e.err }

// exitCode returns the exit code of the process after an error.
func exitCode(err error) int {
	if coded, ok := errors.AsType[*exitError](err); ok {
		return coded.code
	}
	return exitFailed
}
