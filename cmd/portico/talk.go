package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"portico/server"
	"portico/splat"
)

// limitFlags are what the spatial commands have in common: how they tell of
// their work, and what they may take.
type limitFlags struct {
	JSON   bool        `help:"Print JSON lines: progress, then the result or the error."`
	Memory server.Size `help:"Memory that may be used; the machine's when omitted." placeholder:"BYTES"`
}

// talk is how a spatial command speaks: to people on a terminal, or in JSON lines
// to a program.
//
// The lines are {"percent", "message"} any number of times, and then either
// {"result"} or {"error"}. An error is in the user's file and for the user to
// read; what goes wrong with us is on standard error.
type talk struct {
	json bool
	out  io.Writer
	errs io.Writer // a terminal, or nil
	// workers is how many cores the work may take; 0 for all.
	workers int

	mu      sync.Mutex
	percent float64
	told    time.Time
	drawn   bool
}

func (f *limitFlags) talk(c *call) *talk {
	t := &talk{json: f.JSON, out: c.out, workers: c.config.Workers}
	if !f.JSON && isTerminal(os.Stderr) {
		t.errs = os.Stderr
	}
	return t
}

// tellEvery is how often progress is told.
const tellEvery = 250 * time.Millisecond

// progress tells how far the work has come, a few times a second, never less
// than before.
func (t *talk) progress(percent float64, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.percent = max(t.percent, percent)
	if now := time.Now(); now.Sub(t.told) >= tellEvery {
		t.told = now
		t.tell(message)
	}
}

// tell writes one report. An error of the writer ends nothing: the result's will.
func (t *talk) tell(message string) {
	switch {
	case t.json:
		_ = printJSON(t.out, map[string]any{"percent": t.percent, "message": message})
	case t.errs != nil:
		const width = 30
		full := int(t.percent / 100 * width)
		bar := strings.Repeat("#", full) + strings.Repeat(".", width-full)
		_, _ = fmt.Fprintf(t.errs, "\r\x1b[K[%s] %3.0f %% %s", bar, t.percent, message)
		t.drawn = true
	}
}

// result tells what came of it.
func (t *talk) result(v any, print func(io.Writer) error) error {
	t.clear()
	if t.json {
		return printJSON(t.out, map[string]any{"result": v})
	}
	return print(t.out)
}

// clear takes the progress bar away.
func (t *talk) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.drawn {
		_, _ = fmt.Fprint(t.errs, "\r\x1b[K")
	}
}

// end makes a fault of the file what the command ends with.
func (t *talk) end(err error) error {
	t.clear()
	fault, ok := errors.AsType[*splat.InputError](err)
	if !ok {
		return err
	}
	if t.json {
		return errors.Join(&exitError{code: exitInput, err: errLogged}, printJSON(t.out, map[string]string{"error": fault.Error()}))
	}
	return &exitError{code: exitInput, err: fault}
}

// The exit codes beside 0. Go itself ends with 2 too where it crashes: a fault of
// the file is told besides.
const (
	exitFailed = 1
	exitInput  = 2
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

// exitCode returns the code that the process ends with after an error.
func exitCode(err error) int {
	if coded, ok := errors.AsType[*exitError](err); ok {
		return coded.code
	}
	return exitFailed
}

// limited does the work within the limits.
func (f *limitFlags) limited(ctx context.Context, work func(context.Context) error) error {
	if f.Memory > 0 {
		if err := limitMemory(int64(f.Memory)); err != nil {
			return fmt.Errorf("limit the memory: %w", err)
		}
	}
	err := work(ctx)
	if path, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such file", path.Path)
	}
	return err
}
