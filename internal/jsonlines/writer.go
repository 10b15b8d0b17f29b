// Package jsonlines is the output of work that another program starts and watches: lines of JSON
// with the progress, and a last line with the result or with a fault of the user's file. The child
// of a worker writes it, and so do the commands at a shell with --json.
package jsonlines

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

// Writer writes lines as the type Line describes them, each with one Write. Progress may be called
// from any goroutine. The last call is Result or Fault.
type Writer struct {
	Out io.Writer

	mu      sync.Mutex
	percent float64
	written time.Time // when progress was written last
}

// Progress writes progress at most a few times a second, in whole percentages, which never
// fall. It returns no error: if the output is broken, writing the result fails as well.
func (w *Writer) Progress(percent float64, message string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.percent = max(w.percent, percent)
	now := time.Now()
	if now.Sub(w.written) < progressInterval {
		return
	}
	w.written = now
	_ = w.write(map[string]any{"percent": math.Floor(w.percent), "message": message})
}

// Result writes the last line of work that succeeded.
func (w *Writer) Result(result any) error { return w.write(map[string]any{"result": result}) }

// Fault writes the last line of work that found a fault in the user's file.
func (w *Writer) Fault(fault error) error { return w.write(map[string]any{"error": fault.Error()}) }

// write writes one line. It does not escape <, > and &, which are common in messages and names,
// for HTML.
func (w *Writer) write(line map[string]any) error {
	encoder := json.NewEncoder(w.Out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(line)
}

// Line is one line of an output: any number of lines have progress, and then one has a result or an
// error. For example:
//
//	{"percent":41,"message":"Encoding level 1, chunk 3 of 9"}
//	{"result":{"facts":{...}}}
//	{"error":"\"scene.ply\" is cut off: ..."}
type Line struct {
	// Percent is the progress of the work; nil in the last line.
	Percent *float64 `json:"percent"`
	Message string   `json:"message"`
	// Result is the result of the work, in its own form.
	Result *json.RawMessage `json:"result"`
	// Error is the fault in the user's file.
	Error *string `json:"error"`
}

// Last returns the result or the fault at the end of an output that a Writer has written. It
// returns an error if the output does not end with one of them.
func Last(text string) (result json.RawMessage, fault string, err error) {
	text = strings.TrimSuffix(text, "\n")
	var last Line
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
