// Package semaphore bounds how much goes on at a time, for each key and for all keys
// together: connections of an account, downloads of a caller, uploads to an address.
// Nobody waits: who finds no place is refused.
package semaphore

import "sync"

// Keyed counts what goes on by key. Its limits are set before it is used. The zero
// value refuses everything.
type Keyed struct {
	// PerKey is how much may go on at a time for one key.
	PerKey int
	// Total is how much may go on for all keys together. Zero means no limit.
	Total int

	mu    sync.Mutex
	total int
	keys  map[string]int // only keys that hold something, or it would grow for ever
}

// Acquire takes a place for the key until release is called, which is called once;
// ok is false when there is none.
func (k *Keyed) Acquire(key string) (release func(), ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	// Counted and taken under one lock: two at once cannot both get the last place.
	if k.keys[key] >= k.PerKey || (k.Total > 0 && k.total >= k.Total) {
		return nil, false
	}
	if k.keys == nil {
		k.keys = map[string]int{}
	}
	k.total++
	k.keys[key]++
	return func() { k.release(key) }, true
}

// Held returns how many places are taken, of all keys together.
func (k *Keyed) Held() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.total
}

func (k *Keyed) release(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.total--
	if k.keys[key]--; k.keys[key] == 0 {
		delete(k.keys, key)
	}
}
