package counter

import (
	"crypto/sha256"
	"sync"
	"time"
)

// Attempts counts and limits the attempts of each key, for example to sign in, in a window that
// starts with the first attempt of the key. It counts in the memory of this process, with up to
// 25 MB. The zero value and nil have no limit.
//
// Unlike with limit.Limiter, callers can take an attempt off the count: a sign-in with the right
// password does not count.
type Attempts struct {
	max int

	mu   sync.Mutex
	open Windows[hashedKey]
}

// hashedKey is what the process remembers of a key. Keys are texts of any length from strangers,
// and may be e-mail addresses of other people.
type hashedKey [sha256.Size]byte

// NewAttempts returns a limit of maximum attempts in a window of this length.
func NewAttempts(maximum int, length time.Duration) *Attempts {
	return &Attempts{max: maximum, open: NewWindows[hashedKey](length)}
}

// Take counts an attempt. Call it before the attempt, so that concurrent attempts are all counted.
// It returns 0 if the attempt is allowed, or how long to wait.
func (a *Attempts) Take(key string) time.Duration {
	if a == nil || a.max == 0 {
		return 0
	}
	hashed := hashedKey(sha256.Sum256([]byte(key)))
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	a.open.DropExpired(now)
	if wait := a.open.Wait(hashed, 1, a.max, now); wait > 0 {
		return wait
	}
	a.open.Add(hashed, 1, now)
	return 0
}

// Refund removes one attempt of the key from the count, because it turned out to be legitimate.
func (a *Attempts) Refund(key string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open.Remove(sha256.Sum256([]byte(key)))
}

// Forget removes all attempts of the key from the count.
func (a *Attempts) Forget(key string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open.Forget(sha256.Sum256([]byte(key)))
}
