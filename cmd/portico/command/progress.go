package command

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"portico/internal/jsonlines"
	"portico/splat"
)

// Progress is the output of a spatial command: JSON lines for programs, or a progress bar and a
// text for people.
//
// At most one of lines and bar is set. With neither, progress is not shown: the output goes to a
// file or a pipe.
type Progress struct {
	lines *jsonlines.Writer // nil without --json
	out   io.Writer
	bar   *progressBar // nil without a terminal
}

// NewProgress returns the output of an invocation: JSON lines, a bar on a terminal, or neither.
func NewProgress(in *Invocation, isJSON bool) *Progress {
	p := &Progress{out: in.Out}
	switch {
	case isJSON:
		p.lines = &jsonlines.Writer{Out: in.Out}
	case in.Terminal != nil && IsTerminal(in.Terminal):
		p.bar = &progressBar{terminal: in.Terminal}
	}
	return p
}

// NewQuietProgress returns the output of an invocation that shows no progress.
func NewQuietProgress(in *Invocation) *Progress { return &Progress{out: in.Out} }

// Report shows how much of the work is done, from 0 to 100, and what it is doing now. It may be
// called often and from several goroutines: both outputs leave calls out, and neither goes back.
func (p *Progress) Report(percent float64, message string) {
	switch {
	case p.lines != nil:
		p.lines.Progress(percent, message)
	case p.bar != nil:
		p.bar.draw(percent, message)
	}
}

// Clear erases the progress bar, if there is one.
func (p *Progress) Clear() { p.bar.clear() }

// Percentage returns the share of done in total. Without a total it is 0, not NaN, at which
// progressBar.draw panics.
func Percentage(done, total int64) float64 { return 100 * float64(done) / float64(max(1, total)) }

// PrintResult prints the result as JSON, or calls print for people.
func (p *Progress) PrintResult(v any, print func(io.Writer) error) error {
	p.bar.clear()
	if p.lines != nil {
		return p.lines.Result(v)
	}
	return print(p.out)
}

// Finish returns the error of the command, and prints it as JSON with --json. A fault of the user's
// file has its own exit code, so that scripts can distinguish it from a failure of the machine.
// Every spatial command returns the error of finish, so this is the only place that selects their
// exit codes.
func (p *Progress) Finish(err error) error {
	p.bar.clear()
	if coded, ok := errors.AsType[*ExitError](err); ok && coded.Code == ExitMemory && p.lines != nil {
		return errors.Join(&ExitError{Code: ExitMemory, Err: ErrLogged}, p.lines.Fault(coded.Err))
	}
	fault, ok := errors.AsType[*splat.InputError](err)
	if !ok {
		return err
	}
	if p.lines != nil {
		return errors.Join(&ExitError{Code: ExitInput, Err: ErrLogged}, p.lines.Fault(fault))
	}
	return &ExitError{Code: ExitInput, Err: fault}
}

// IsTerminal reports whether the file is a terminal, or another device.
func IsTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// JoinLines returns the texts with a newline after each.
func JoinLines(texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString(text + "\n")
	}
	return b.String()
}

// drawInterval is the minimum time between two changes of a progress bar.
const drawInterval = 250 * time.Millisecond

// progressBar is a line of a terminal that shows the progress. A nil bar shows nothing.
//
// Its methods are safe for concurrent use: the parts of an upload are sent by several goroutines.
type progressBar struct {
	terminal io.Writer

	mu      sync.Mutex
	percent float64
	drawn   time.Time // when the bar was last drawn; zero before the first time
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
	full := min(width, int(b.percent/100*width))
	bar := strings.Repeat("#", full) + strings.Repeat(".", width-full)
	// Carriage return, then CSI K (ECMA-48, EL), which erases to the end of the line.
	_, _ = fmt.Fprintf(b.terminal, "\r\x1b[K[%s] %3.0f %% %s", bar, math.Floor(b.percent), message) // a closed terminal needs no bar
}

// clear erases the bar, before another line is printed.
func (b *progressBar) clear() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.drawn.IsZero() {
		_, _ = fmt.Fprint(b.terminal, "\r\x1b[K") // a closed terminal needs no bar
	}
}
