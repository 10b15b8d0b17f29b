package child

import "strings"

// excerpt keeps the beginning and the end of what is written to it. Go prints the
// cause of a crash first, and a hundred goroutines after it.
type excerpt struct {
	head, tail []byte
	cut        bool // something between the two was dropped
}

// excerptHalf is how much of the beginning, and of the end, is kept, in bytes.
const excerptHalf = 2 << 10

// Write implements io.Writer.
func (e *excerpt) Write(p []byte) (int, error) {
	first := min(len(p), excerptHalf-len(e.head))
	e.head = append(e.head, p[:first]...)
	e.tail = append(e.tail, p[max(first, len(p)-excerptHalf):]...)
	e.cut = e.cut || len(p)-first > excerptHalf
	if over := len(e.tail) - excerptHalf; over > 0 {
		e.tail, e.cut = append(e.tail[:0], e.tail[over:]...), true
	}
	return len(p), nil
}

// String returns what was kept, as valid text.
func (e *excerpt) String() string {
	middle := ""
	if e.cut {
		middle = "\n[...]\n"
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(e.head)+middle+string(e.tail), "?"))
}
