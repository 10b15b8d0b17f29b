package limit

import (
	"crypto/sha256"
	"sync"
	"time"
)

// Attempts limits how often each key may try something, such as to sign in, in a window
// that starts with its first attempt. It counts in the memory of this process, with up to
// 25 MB. The zero value and nil have no limit.
type Attempts struct {
	max int

	mu   sync.Mutex
	open windows[hashedKey]
}

// hashedKey replaces a key in memory: keys are texts of strangers, of any length, and may
// be e-mail addresses of others.
type hashedKey [sha256.Size]byte

// NewAttempts returns a limit of maximum attempts in a window of this length.
func NewAttempts(maximum int, length time.Duration) *Attempts {
	return &Attempts{max: maximum, open: newWindows[hashedKey](length)}
}

// Take counts an attempt before it is made, so that concurrent attempts all count. It
// returns 0, or how long to wait if there were too many.
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

// Refund uncounts an attempt that turned out to be legitimate.
func (a *Attempts) Refund(key string) {
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
