// Package logs has a log for tests, which can be waited for.
package logs

import (
	"bytes"
	"strings"
	"sync"
)

// Buffer is a log that can be written and read concurrently. The zero value is ready.
type Buffer struct {
	mu     sync.Mutex
	b      bytes.Buffer
	awaits []awaited
}

// awaited is a text that a test waits for.
type awaited struct {
	text string
	seen chan struct{}
}

// Write implements io.Writer.
func (l *Buffer) Write(p []byte) (int, error) {
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

// Await returns a channel that is closed when the text is logged next.
func (l *Buffer) Await(text string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := make(chan struct{})
	l.awaits = append(l.awaits, awaited{text, seen})
	return seen
}

// String returns what was logged.
func (l *Buffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Lines returns what was logged, one record each.
func (l *Buffer) Lines() []string {
	return strings.FieldsFunc(l.String(), func(c rune) bool { return c == '\n' })
}
