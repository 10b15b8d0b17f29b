// Package semaphore limits how many operations run at a time, for each key and for all keys
// together: connections of an account, downloads of a caller, uploads from an address.
// Keyed refuses a caller over a limit. Turns, with one place for each key, and Slots, without
// keys, let the caller wait.
package semaphore

import "sync"

// Keyed is a counting semaphore with a count for each key. Its limits are set before it is
// used. The zero value refuses everything.
type Keyed struct {
	// PerKey is how many of one key can be acquired at once.
	PerKey int
	// Total is how many of all keys together can be acquired at once. Zero means no limit.
	Total int

	mu    sync.Mutex
	total int
	keys  map[string]int // only keys with a count: others would make it grow forever
}

// Acquire takes a slot for the key until release is called, which must be called once. It
// returns false when a limit is reached.
func (k *Keyed) Acquire(key string) (release func(), ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	// One lock for check and count: two callers cannot both get the last slot.
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

// Held returns how many slots all keys hold together.
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
