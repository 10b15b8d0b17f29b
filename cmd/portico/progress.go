package main

import (
	"errors"
	"io"

	"portico/internal/jsonlines"
	"portico/splat"
)

// progress is the output of a spatial command: JSON lines for programs, or a progress bar and a
// text for people.
//
// At most one of lines and bar is set. With neither, progress is not shown: the output goes to a
// file or a pipe.
type progress struct {
	lines *jsonlines.Writer // nil without --json
	out   io.Writer
	bar   *progressBar // nil without a terminal
}

// newProgress returns the output of an invocation: JSON lines, a bar on a terminal, or neither.
func newProgress(in *invocation, isJSON bool) *progress {
	p := &progress{out: in.out}
	switch {
	case isJSON:
		p.lines = &jsonlines.Writer{Out: in.out}
	case in.terminal != nil && isTerminal(in.terminal):
		p.bar = &progressBar{terminal: in.terminal}
	}
	return p
}

// report shows how much of the work is done, from 0 to 100, and what it is doing now. It may be
// called often and from several goroutines: both outputs leave calls out, and neither goes back.
func (p *progress) report(percent float64, message string) {
	switch {
	case p.lines != nil:
		p.lines.Progress(percent, message)
	case p.bar != nil:
		p.bar.draw(percent, message)
	}
}

// percentage returns the share of done in total. Without a total it is 0, not NaN, at which
// progressBar.draw panics.
func percentage(done, total int64) float64 { return 100 * float64(done) / float64(max(1, total)) }

// printResult prints the result as JSON, or calls print for people.
func (p *progress) printResult(v any, print func(io.Writer) error) error {
	p.bar.clear()
	if p.lines != nil {
		return p.lines.Result(v)
	}
	return print(p.out)
}

// finish returns the error of the command, and prints it as JSON with --json. A fault of the user's
// file has its own exit code, so that scripts can distinguish it from a failure of the machine.
// Every spatial command returns the error of finish, so this is the only place that selects their
// exit codes.
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
