package limit

import "time"

// maxWindows limits the open windows. Each takes about 240 bytes.
const maxWindows = 100_000

// maxDrops limits how many expired windows one request drops, so that no request has to drop a
// hundred thousand. It is more than a request opens, so the number of expired windows does not
// grow.
const maxDrops = 64

// counter is the count of a window.
type counter[K comparable] struct {
	key   K
	count int
	ends  time.Time
	next  *counter[K] // the window that was opened next
}

// windows are the open windows of many keys. All of them have the same length, so they end in the
// order in which they were opened, which is the order of the linked list.
type windows[K comparable] struct {
	length      time.Duration // of each window
	byKey       map[K]*counter[K]
	first, last *counter[K]
	listed      int // counters in the list, including expired ones that byKey no longer contains
}

func newWindows[K comparable](length time.Duration) windows[K] {
	return windows[K]{length: length, byKey: map[K]*counter[K]{}}
}

// open returns the counter of a window that has not ended, or nil.
func (w *windows[K]) open(key K, now time.Time) *counter[K] {
	if c := w.byKey[key]; c != nil && now.Before(c.ends) {
		return c
	}
	return nil
}

// wait returns the time until count more requests fit below the limit, 0 if they fit.
func (w *windows[K]) wait(key K, count, limit int, now time.Time) time.Duration {
	c := w.open(key, now)
	if c == nil || c.count+count <= limit { // callers refuse what never fits
		return 0
	}
	return c.ends.Sub(now)
}

// count returns the requests in the key's window.
func (w *windows[K]) count(key K, now time.Time) int {
	if c := w.open(key, now); c != nil {
		return c.count
	}
	return 0
}

// add counts requests, in a new window if none is open.
func (w *windows[K]) add(key K, count int, now time.Time) {
	c := w.open(key, now)
	if c == nil {
		c = w.start(key, now)
	}
	c.count += count
}

// remove takes one request off the count.
func (w *windows[K]) remove(key K) {
	if c := w.byKey[key]; c != nil && c.count > 0 {
		c.count--
	}
}

// forget closes the key's window. Its counter stays in the list until its end.
func (w *windows[K]) forget(key K) { delete(w.byKey, key) }

// start opens a window of the key, and drops the oldest window if there are maxWindows.
func (w *windows[K]) start(key K, now time.Time) *counter[K] {
	if w.listed == maxWindows {
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

// dropExpired drops some of the windows that have ended.
func (w *windows[K]) dropExpired(now time.Time) {
	for range maxDrops {
		if w.first == nil || now.Before(w.first.ends) {
			return
		}
		w.drop()
	}
}

// drop removes the oldest window from the list.
func (w *windows[K]) drop() {
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
