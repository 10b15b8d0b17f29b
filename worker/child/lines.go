package child

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"sync"
	"time"
)

// progressInterval is the minimum time between two lines of progress.
const progressInterval = 250 * time.Millisecond

// Lines writes the output of a child as JSON lines, each with one Write. The commands at a
// shell print the same lines with --json.
//
// The lines are described at the type line. Progress may be called from any goroutine. The last
// call is Result or Fault.
type Lines struct {
	Out io.Writer

	mu      sync.Mutex
	percent float64
	written time.Time // when progress was written last
}

// Progress writes progress at most a few times a second, in whole percentages, which never
// fall. It returns no error: if the output is broken, writing the result fails as well.
func (l *Lines) Progress(percent float64, message string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.percent = max(l.percent, percent)
	now := time.Now()
	if now.Sub(l.written) < progressInterval {
		return
	}
	l.written = now
	_ = l.write(map[string]any{"percent": math.Floor(l.percent), "message": message})
}

// Result writes the last line of work that succeeded. A child writes a Result.
func (l *Lines) Result(result any) error { return l.write(map[string]any{"result": result}) }

// Fault writes the last line of work that found a fault in the user's file.
func (l *Lines) Fault(fault error) error { return l.write(map[string]any{"error": fault.Error()}) }

// write writes one line. It does not escape <, > and &, which are common in messages and names,
// for HTML.
func (l *Lines) write(line map[string]any) error {
	encoder := json.NewEncoder(l.Out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(line)
}

// LastLine returns the result or the fault at the end of an output that Lines has
// written. It returns an error if the output does not end with one of them.
func LastLine(text string) (result json.RawMessage, fault string, err error) {
	text = strings.TrimSuffix(text, "\n")
	var last line
	if err := json.Unmarshal([]byte(text[strings.LastIndexByte(text, '\n')+1:]), &last); err != nil {
		return nil, "", err
	}
	switch {
	case last.Result != nil:
		return *last.Result, "", nil
	case last.Error != nil:
		return nil, *last.Error, nil
	}
	return nil, "", errors.New("the last line has neither a result nor an error")
}
