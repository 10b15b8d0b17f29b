package subprocess

import "strings"

// Excerpt keeps the start and the end of a text. Go prints the cause of a crash first, and then the
// stacks of all goroutines. It takes at most twice excerptHalf of memory, whatever the process
// prints. The zero value is ready.
type Excerpt struct {
	head, tail []byte
	cut        bool // text between the two was dropped
}

// excerptHalf is the size of the start, and of the end, in bytes.
const excerptHalf = 2 << 10

// Write implements io.Writer.
func (e *Excerpt) Write(p []byte) (int, error) {
	first := min(len(p), excerptHalf-len(e.head))
	e.head = append(e.head, p[:first]...)
	e.tail = append(e.tail, p[max(first, len(p)-excerptHalf):]...)
	e.cut = e.cut || len(p)-first > excerptHalf
	if over := len(e.tail) - excerptHalf; over > 0 {
		e.tail, e.cut = append(e.tail[:0], e.tail[over:]...), true
	}
	return len(p), nil
}

// String returns the excerpt as valid UTF-8.
func (e *Excerpt) String() string {
	middle := ""
	if e.cut {
		middle = "\n[...]\n"
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(e.head)+middle+string(e.tail), "?"))
}
