package limit

import (
	"crypto/sha256"
	"sync"
	"time"
)

// Attempts limits how often each key may try something in a window that starts
// with its first try: to sign in, or to register a client. It counts in memory, for
// this process, and takes about 25 MB at most. The zero value and nil have no limit.
type Attempts struct {
	max int

	mu   sync.Mutex
	open windows[hashedKey]
}

// hashedKey is what is kept of a key: keys come from strangers, who choose how
// long they are, and may be other people's addresses.
type hashedKey [sha256.Size]byte

// NewAttempts allows each key so many attempts in a window of this length.
func NewAttempts(maximum int, length time.Duration) *Attempts {
	return &Attempts{max: maximum, open: newWindows[hashedKey](length)}
}

// Take counts an attempt before it is made, so that many at once count as many.
// It returns 0, or how long to wait when there were too many.
func (a *Attempts) Take(key string) time.Duration {
	if a == nil || a.max == 0 {
		return 0
	}
	hashed := hashedKey(sha256.Sum256([]byte(key)))
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	a.open.dropExpired(now)
	if wait := a.open.wait(hashed, 1, a.max, now); wait > 0 {
		return wait
	}
	a.open.add(hashed, 1, now)
	return 0
}

// GiveBack uncounts one attempt, which turned out to be no stranger's.
func (a *Attempts) GiveBack(key string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open.remove(sha256.Sum256([]byte(key)))
}

// Forget uncounts all attempts of the key.
func (a *Attempts) Forget(key string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open.forget(sha256.Sum256([]byte(key)))
}
