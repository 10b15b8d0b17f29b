package presence

import (
	"sync"
	"time"
)

const (
	// banDuration is how long a removed visitor cannot join the space again.
	banDuration = time.Hour
	// maxBans is the maximum number of bans in memory. With more, the oldest ban ends.
	maxBans = 10_000
)

// bans has the removed visitors, by their ban keys. The zero value is ready.
type bans struct {
	mu    sync.Mutex
	until map[string]time.Time
	order []string // oldest first
}

// add bans the visitors with a key until a time. An empty key bans nobody.
func (o *bans) add(key string, until, now time.Time) {
	if key == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.until == nil {
		o.until = map[string]time.Time{}
	}
	if _, known := o.until[key]; !known {
		o.order = append(o.order, key)
	}
	o.until[key] = until
	for len(o.order) > 0 && (len(o.order) > maxBans || !now.Before(o.until[o.order[0]])) {
		delete(o.until, o.order[0])
		o.order = o.order[1:]
	}
}

// has reports whether the visitors with a key are banned now.
func (o *bans) has(key string, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	until, known := o.until[key]
	return known && now.Before(until)
}
