package web

import (
	"crypto/sha256"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// mostKeys bounds the memory of Attempts, to about 10 MB.
const mostKeys = 100_000

// Attempts limits how often each key may try something in a window that begins
// with its first try. It counts in memory, for this process. The zero value and
// nil have no limit.
type Attempts struct {
	most   int
	window time.Duration

	mu    sync.Mutex
	taken map[hashedKey]attempt
}

// hashedKey is what is kept of a key: keys come from strangers, who choose how
// long they are, and may be other people's addresses.
type hashedKey [sha256.Size]byte

// attempt is what one key has taken in its window.
type attempt struct {
	count int
	ends  time.Time
}

// NewAttempts allows each key most attempts in a window.
func NewAttempts(most int, window time.Duration) *Attempts {
	return &Attempts{most: most, window: window, taken: map[hashedKey]attempt{}}
}

// Take counts an attempt before it is made, so that many at once count as many.
// It returns 0, or how long to wait when there were too many.
func (a *Attempts) Take(key string) time.Duration {
	if a == nil || a.most == 0 {
		return 0
	}
	hashed := hashedKey(sha256.Sum256([]byte(key)))
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	taken, known := a.taken[hashed]
	if !known || !now.Before(taken.ends) {
		a.makeRoom(now)
		taken = attempt{ends: now.Add(a.window)}
	}
	if taken.count >= a.most {
		return taken.ends.Sub(now)
	}
	taken.count++
	a.taken[hashed] = taken
	return 0
}

// GiveBack makes one attempt not count: it was none of a stranger's.
func (a *Attempts) GiveBack(key string) {
	if a == nil {
		return
	}
	hashed := hashedKey(sha256.Sum256([]byte(key)))
	a.mu.Lock()
	defer a.mu.Unlock()
	if taken, ok := a.taken[hashed]; ok && taken.count > 0 {
		taken.count--
		a.taken[hashed] = taken
	}
}

// Forget makes none of the key's attempts count.
func (a *Attempts) Forget(key string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.taken, sha256.Sum256([]byte(key)))
}

// makeRoom forgets the windows that have ended when there are too many, and then
// any others.
func (a *Attempts) makeRoom(now time.Time) {
	if len(a.taken) < mostKeys {
		return
	}
	for key, taken := range a.taken {
		if !now.Before(taken.ends) {
			delete(a.taken, key)
		}
	}
	for key := range a.taken {
		if len(a.taken) < mostKeys*9/10 {
			return
		}
		delete(a.taken, key)
	}
}

// signInLimits are what a guesser runs into.
type signInLimits struct {
	byGuesser *Attempts // failures, by IP and account, whether there is such an account or not
	byIP      *Attempts // failures
	signUps   *Attempts // by IP, whether they succeed or not
	external  *Attempts // by IP: each begins a session
}

// newSignInLimits chooses numbers that a person who has forgotten a password does
// not reach: 10 guesses for an account from one address, and for an address, behind
// which a whole office may sit, 100 in a quarter of an hour. An account has no limit
// of its own: anyone could lock its owner out with it.
func newSignInLimits(unlimited bool) signInLimits {
	if unlimited {
		return signInLimits{}
	}
	const window = 15 * time.Minute
	return signInLimits{
		byGuesser: NewAttempts(10, window), byIP: NewAttempts(100, window),
		signUps: NewAttempts(20, time.Hour), external: NewAttempts(100, window),
	}
}

// ClientIP returns whom the limits count a request for: the address, or the
// network of one household where it is IPv6.
func (s *Site) ClientIP(r *http.Request) string { return network(s.clientIP(r)) }

// connectionIP returns the address of the other end of the connection.
func connectionIP(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// network returns the address, or for IPv6 the /64 that one subscriber is given:
// counting single addresses there would count nothing.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	prefix, err := ip.Prefix(64)
	if err != nil {
		return address
	}
	return prefix.String()
}
