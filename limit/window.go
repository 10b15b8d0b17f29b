package limit

import "time"

// maxWindows bounds the windows that are open at a time. One takes about 240
// bytes.
const maxWindows = 100_000

// dropAtOnce bounds what one request does for the others, so that none waits for
// a hundred thousand windows to be dropped. A request opens fewer than this.
const dropAtOnce = 64

// name is what a counter is found by.
type name struct {
	subject Subject
	scope   Scope
}

// counter is one window: the requests that were counted in it.
type counter struct {
	name  name
	count int
	ends  time.Time
	next  *counter // the one that was opened next
}

// windows are the open windows of many subjects. All are equally long, so they
// end in the order in which they were opened, which is the order of the list.
type windows struct {
	byName      map[name]*counter
	first, last *counter
	length      int // of the list; an expired counter may be there that byName has replaced
}

// open returns the counter of a window that has not ended, or nil.
func (w *windows) open(n name, now time.Time) *counter {
	if c := w.byName[n]; c != nil && now.Before(c.ends) {
		return c
	}
	return nil
}

// wait returns how long it is until so many more requests fit, 0 when they do.
func (w *windows) wait(n name, count int, now time.Time) time.Duration {
	c := w.open(n, now)
	if c == nil || c.count+count <= limits[n.scope] { // take has refused what never fits
		return 0
	}
	return c.ends.Sub(now)
}

// add counts requests, in a new window where none is open.
func (w *windows) add(n name, count int, now time.Time) {
	c := w.open(n, now)
	if c == nil {
		c = w.push(n, now)
	}
	c.count += count
}

// push opens a window.
func (w *windows) push(n name, now time.Time) *counter {
	if w.length == maxWindows {
		w.drop()
	}
	c := &counter{name: n, ends: now.Add(window)}
	if w.last == nil {
		w.first = c
	} else {
		w.last.next = c
	}
	w.last = c
	w.length++
	w.byName[n] = c
	return c
}

// dropExpired drops some of the windows that have ended.
func (w *windows) dropExpired(now time.Time) {
	for range dropAtOnce {
		if w.first == nil || now.Before(w.first.ends) {
			return
		}
		w.drop()
	}
}

// drop drops the window that was opened first.
func (w *windows) drop() {
	c := w.first
	if w.byName[c.name] == c { // not replaced since by a later window
		delete(w.byName, c.name)
	}
	w.first = c.next
	if w.first == nil {
		w.last = nil
	}
	w.length--
}
