package presence

import (
	"slices"
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
	order []string // by the time of the last ban, oldest first
}

// add bans the visitors with a key until a time. An empty key bans nobody.
func (b *bans) add(key string, until, now time.Time) {
	if key == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until == nil {
		b.until = map[string]time.Time{}
	}
	if _, known := b.until[key]; known {
		b.order = slices.DeleteFunc(b.order, func(other string) bool { return other == key })
	}
	b.order = append(b.order, key)
	b.until[key] = until
	for len(b.order) > 0 && (len(b.order) > maxBans || !now.Before(b.until[b.order[0]])) {
		delete(b.until, b.order[0])
		b.order = b.order[1:]
	}
}

// has reports whether the visitors with a key are banned now.
func (b *bans) has(key string, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	until, known := b.until[key]
	return known && now.Before(until)
}
