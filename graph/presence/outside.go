package presence

import (
	"sync"
	"time"
)

const (
	// outsideTime is how long a removed visitor stays outside.
	outsideTime = time.Hour
	// maxOutside limits the memory of those outside: above it the oldest may come back.
	maxOutside = 10_000
)

// outside remembers removed visitors. The zero value is ready.
type outside struct {
	mu    sync.Mutex
	until map[string]time.Time
	order []string // oldest first
}

// add remembers a name until a time.
func (o *outside) add(name string, until, now time.Time) {
	if name == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.until == nil {
		o.until = map[string]time.Time{}
	}
	if _, known := o.until[name]; !known {
		o.order = append(o.order, name)
	}
	o.until[name] = until
	for len(o.order) > 0 && (len(o.order) > maxOutside || !now.Before(o.until[o.order[0]])) {
		delete(o.until, o.order[0])
		o.order = o.order[1:]
	}
}

// has reports whether the name is outside now.
func (o *outside) has(name string, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	until, known := o.until[name]
	return known && now.Before(until)
}
