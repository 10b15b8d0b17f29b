package child

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// progressInterval is the minimum time between two lines of progress.
const progressInterval = 250 * time.Millisecond

// Lines writes the output of a child: JSON lines, each complete when it is written.
// The --json output of the commands at a shell has the same lines.
type Lines struct {
	Out io.Writer

	mu      sync.Mutex
	percent float64
	written time.Time // when progress was written last
}

// Progress writes how far the work has come, a few times a second; percentages never
// fall. An error of the writer is not returned, since writing the result fails too.
func (l *Lines) Progress(percent float64, message string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.percent = max(l.percent, percent)
	now := time.Now()
	if now.Sub(l.written) < progressInterval {
		return
	}
	l.written = now
	_ = l.write(map[string]any{"percent": l.percent, "message": message})
}

// Result writes the last line of work that succeeded. A child's is a Result.
func (l *Lines) Result(result any) error { return l.write(map[string]any{"result": result}) }

// Fault writes the last line of work that found a fault in the user's file.
func (l *Lines) Fault(fault error) error { return l.write(map[string]any{"error": fault.Error()}) }

func (l *Lines) write(line map[string]any) error {
	encoder := json.NewEncoder(l.Out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(line)
}
