// Package counter counts what each of many keys does in a window of time, in bounded memory:
// requests of a client, and attempts to sign in.
package counter

import "time"

// MaxWindows limits the open windows. Each takes about 240 bytes.
const MaxWindows = 100_000

// maxDrops limits how many expired windows one request drops, so that no request has to drop a
// hundred thousand. It is more than a request opens, so the number of expired windows does not
// grow.
const maxDrops = 64

type counter[K comparable] struct {
	key   K
	count int
	ends  time.Time
	next  *counter[K] // the window that was opened next
}

// Windows are the open windows of many keys. A window starts with the first count of its key. All
// of them have the same length, so they end in the order in which they were opened, which is the
// order of the linked list. Above MaxWindows, the oldest windows are dropped, expired or not.
//
// The methods may not be called concurrently: callers check and count below one lock of their own.
// They pass the time, which never goes back.
type Windows[K comparable] struct {
	length      time.Duration // of each window
	byKey       map[K]*counter[K]
	first, last *counter[K]
	listed      int // counters in the list, including expired ones that byKey no longer contains
}

// NewWindows returns windows of this length. None is open yet.
func NewWindows[K comparable](length time.Duration) Windows[K] {
	return Windows[K]{length: length, byKey: map[K]*counter[K]{}}
}

// open returns the counter of a window that has not ended, or nil.
func (w *Windows[K]) open(key K, now time.Time) *counter[K] {
	if c := w.byKey[key]; c != nil && now.Before(c.ends) {
		return c
	}
	return nil
}

// Wait returns the time until count more fit below the limit, 0 if they fit.
func (w *Windows[K]) Wait(key K, count, limit int, now time.Time) time.Duration {
	c := w.open(key, now)
	if c == nil || c.count+count <= limit { // callers refuse what never fits
		return 0
	}
	return c.ends.Sub(now)
}

// Count returns how many times the key was counted in its open window; 0 without one.
func (w *Windows[K]) Count(key K, now time.Time) int {
	if c := w.open(key, now); c != nil {
		return c.count
	}
	return 0
}

// Add adds to the count, in a new window if none is open.
func (w *Windows[K]) Add(key K, count int, now time.Time) {
	c := w.open(key, now)
	if c == nil {
		c = w.start(key, now)
	}
	c.count += count
}

// Remove takes one off the count of the key's window. Without a window, or at 0, it does nothing.
func (w *Windows[K]) Remove(key K) {
	if c := w.byKey[key]; c != nil && c.count > 0 {
		c.count--
	}
}

// Forget closes the key's window. Its counter stays in the list until its end.
func (w *Windows[K]) Forget(key K) { delete(w.byKey, key) }

// start opens a window of the key, and drops the oldest window if there are MaxWindows.
func (w *Windows[K]) start(key K, now time.Time) *counter[K] {
	if w.listed == MaxWindows {
		w.drop()
	}
	c := &counter[K]{key: key, ends: now.Add(w.length)}
	if w.last == nil {
		w.first = c
	} else {
		w.last.next = c
	}
	w.last = c
	w.listed++
	w.byKey[key] = c
	return c
}

// DropExpired drops some of the windows that have ended. Call it before each Add.
func (w *Windows[K]) DropExpired(now time.Time) {
	for range maxDrops {
		if w.first == nil || now.Before(w.first.ends) {
			return
		}
		w.drop()
	}
}

// drop removes the oldest window from the list.
func (w *Windows[K]) drop() {
	c := w.first
	if w.byKey[c.key] == c { // not replaced since by a later window
		delete(w.byKey, c.key)
	}
	w.first = c.next
	if w.first == nil {
		w.last = nil
	}
	w.listed--
}
