package graph

import (
	"bytes"
	"sync"
)

// logBuffer is a log that can be written and read concurrently. The zero value is ready.
type logBuffer struct {
	mu     sync.Mutex
	b      bytes.Buffer
	awaits []awaited
}

// awaited is a text that a test waits for.
type awaited struct {
	text string
	seen chan struct{}
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, a := range l.awaits {
		if bytes.Contains(p, []byte(a.text)) {
			close(a.seen)
			l.awaits = append(l.awaits[:i:i], l.awaits[i+1:]...)
			break
		}
	}
	return l.b.Write(p)
}

// await returns a channel that is closed when the text is logged next.
func (l *logBuffer) await(text string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := make(chan struct{})
	l.awaits = append(l.awaits, awaited{text, seen})
	return seen
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
